-- What follows the end of tasks, with their history written: dependents and parents of those that failed or were
-- cancelled hear of it. Answers the cards that the caller makes ready, together with whatever else it has.
create or replace function tenuto._after_end(p_cards tenuto.card[], p_outcomes text[])
  returns tenuto.card[]
  language plpgsql
as $$
declare
  v_outcome text;
  v_ids uuid[];
  v_ready tenuto.card[];
begin
  foreach v_outcome in array array['failed', 'cancelled']
  loop
    v_ids := array(select c.id from unnest(p_cards) with ordinality as c(id, org_id, run_id, route_id, group_no, priority, attempt, traits, no)
                   where tenuto._followed(c.traits) and p_outcomes[c.no] = v_outcome);
    if cardinality(v_ids) > 0 then
      v_ready := v_ready || tenuto._release(v_ids, v_outcome);
    end if;
  end loop;
  v_ids := array(select c.id from unnest(p_cards) with ordinality as c(id, org_id, run_id, route_id, group_no, priority, attempt, traits, no)
                 where tenuto._owned(c.traits) and p_outcomes[c.no] in ('failed', 'cancelled'));
  if cardinality(v_ids) > 0 then
    v_ready := v_ready || tenuto._tell_parents(v_ids);
  end if;
  return v_ready;
end
$$;
