-- Returns the tasks that just ended with these outcomes, and the pending tasks that end because of them, each with its
-- result. Looks up one task after the other by index, regardless of the statistics: the partition of the current week
-- may have no statistics yet.
create or replace function tenuto._dependents_to_end(p_ids uuid[], p_outcomes text[])
  returns table (id uuid, result text, optional boolean)
  language sql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_bitmapscan = off
  set jit = off
as $$
  with recursive ended(id, result, optional) as (
    select i.id, i.outcome, t.optional
    from unnest(p_ids, p_outcomes) i(id, outcome)
    cross join lateral (select t.optional from tenuto.tasks t where t.id = i.id limit 1) t
    union
    select d.child_id, f.result, t.optional
    from ended e
    cross join lateral (
      select d.child_id, d.runs_on from tenuto.task_dependencies d where d.parent_id = e.id offset 0) d
    cross join lateral (select tenuto._edge_result(d.runs_on, e.result, e.optional) as result offset 0) f
    cross join lateral (
      select p.id from tenuto.pending_tasks p where p.id = d.child_id and f.result <> 'satisfied' limit 1) p
    cross join lateral (select t.optional from tenuto.tasks t where t.id = p.id limit 1) t
  )
  -- If a task has both results, cancelled wins over skipped.
  select e.id, min(e.result), bool_or(e.optional) from ended e group by e.id;
$$;
