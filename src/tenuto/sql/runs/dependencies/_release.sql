-- pending -> queued, for the dependents of tasks that just ended, all with p_outcome. Dependents that can no longer run
-- end too (_end_dependents). Each dependent has a counter on its row, and the rows are locked first, in id order. So if
-- the last two tasks that a dependent waits for commit at the same time, both are counted. Returns the queued tasks to
-- make ready. Also returns the ended dependents that have a parent: the caller notifies these parents.
create or replace function tenuto._release(
  p_ids uuid[], p_outcome text, out queued tenuto.queued_task[], out owned uuid[])
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
    select d.child_id, count(*)::int as edges,
           bool_or(tenuto._edge_result(d.runs_on, p_outcome, false) <> 'satisfied') as dooms
    from tenuto.task_dependencies d
    where d.parent_id = any (p_ids)
    group by d.child_id
  ) s;
  if v_dooms then
    select d.queued, d.owned
    into queued, owned
    from tenuto._end_dependents(p_ids, array_fill(p_outcome, array[cardinality(p_ids)])) d;
  elsif v_children is not null then
    queued := tenuto._count_down(v_children, v_counts);
  end if;
end
$$;
