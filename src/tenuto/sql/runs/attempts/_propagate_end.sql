-- Propagates the end of failed and cancelled tasks to their dependents and parents. The history of these tasks is
-- already written. The dependents of all these tasks are locked together, before any parent, as the lock order of ADR 7
-- requires. Returns the tasks that can start now. The caller makes them ready together with its own tasks.
create or replace function tenuto._propagate_end(p_queued tenuto.queued_task[], p_outcomes text[])
  returns tenuto.queued_task[]
  language plpgsql
as $$
declare
  v_ids uuid[];
  v_outcomes text[];
  v_owned uuid[];
  v_ready tenuto.queued_task[];
  v_ended uuid[];
begin
  select array_agg(c.id) filter (where tenuto._has_dependents(c.flags)),
         array_agg(c.outcome) filter (where tenuto._has_dependents(c.flags)),
         array_agg(c.id) filter (where tenuto._has_parent(c.flags))
  into v_ids, v_outcomes, v_owned
  from unnest(p_queued, p_outcomes) as c(id, org_id, run_id, route_id, group_no, priority, attempt, flags, outcome)
  where c.outcome in ('failed', 'cancelled');
  if v_ids is not null then
    select d.queued, d.owned into v_ready, v_ended from tenuto._end_dependents(v_ids, v_outcomes) d;
    v_owned := v_owned || v_ended;
  end if;
  if cardinality(v_owned) > 0 then
    v_ready := v_ready || tenuto._notify_parents(v_owned);
  end if;
  return v_ready;
end
$$;
