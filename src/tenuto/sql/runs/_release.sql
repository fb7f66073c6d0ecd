-- pending -> queued: tells the dependents of tasks that just ended, all with p_outcome. A dependent is let go by the
-- counter on its own row, locked first and in id order: two last parents that commit together both count.
-- Answers the cards to make ready.
create or replace function tenuto._release(p_ids uuid[], p_outcome text)
  returns tenuto.card[]
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_children uuid[];
  v_counts int[];
  v_dooms boolean;
begin
  select array_agg(s.child_id), array_agg(s.edges), bool_or(s.dooms)
  into v_children, v_counts, v_dooms
  from (
    select d.child_id, count(*)::int as edges, bool_or(tenuto._edge_fate(d.runs_on, p_outcome, false) <> 'satisfied') as dooms
    from tenuto.task_dependencies d
    where d.parent_id = any (p_ids)
    group by d.child_id
  ) s;
  if v_children is null then
    return null;
  elsif v_dooms then
    return tenuto._doom(p_ids, p_outcome);
  end if;
  return tenuto._count_down(v_children, v_counts);
end
$$;
