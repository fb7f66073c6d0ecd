-- pending -> cancelled | skipped, for dependents that can no longer run because the tasks p_ids have ended, and for
-- their dependents in turn. Dependents that can still run are counted down. Every row that may change is locked first,
-- in id order. Then the result is computed again from the rows that are still pending: if a row disappeared meanwhile,
-- another transaction ended it together with its dependents. Returns the queued tasks to make ready. Also returns the
-- ended tasks that have a parent: the caller notifies these parents. Edges are looked up by index for one task after
-- the other, so that no plan depends on statistics. 50,000 dependents in a new weekly partition on 2 cores take 1 s;
-- with a join that the planner chose, they took over a minute.
create or replace function tenuto._end_dependents(
  p_ids uuid[], p_outcomes text[], out queued tenuto.queued_task[], out owned uuid[])
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set jit = off
as $$
declare
  v_ids uuid[];
  v_results text[];
  v_optional boolean[];
  v_doomed uuid[];
  v_skipped uuid[];
  v_ended tenuto.queued_task[];
  v_children uuid[];
  v_counts int[];
begin
  perform from tenuto.pending_tasks where id = any (tenuto._dependents(p_ids, p_outcomes)) order by id for update;

  select array_agg(e.id), array_agg(e.result), array_agg(e.optional)
  into v_ids, v_results, v_optional
  from tenuto._dependents_to_end(p_ids, p_outcomes) e;
  select coalesce(array_agg(e.id), '{}'), coalesce(array_agg(e.id) filter (where e.result = 'skipped'), '{}')
  into v_doomed, v_skipped
  from unnest(v_ids, v_results) e(id, result)
  where not e.id = any (p_ids);

  select array_agg(s.child_id), array_agg(s.edges)
  into v_children, v_counts
  from (
    select d.child_id, count(*)::int as edges
    from unnest(v_ids, v_results, v_optional) e(id, result, optional)
    cross join lateral (
      select d.child_id, d.runs_on from tenuto.task_dependencies d where d.parent_id = e.id offset 0) d
    where tenuto._edge_result(d.runs_on, e.result, e.optional) = 'satisfied'
      and not d.child_id = any (v_doomed)
    group by d.child_id
  ) s;

  if cardinality(v_doomed) > 0 then
    with ended as (
      delete from tenuto.pending_tasks where id = any (v_doomed) returning *
    )
    select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task)
    into v_ended from ended;
    perform tenuto._record_ends(array(select e from unnest(v_ended) e where not e.id = any (v_skipped)),
      'cancelled', '{"reason": "a task it depends on did not complete"}');
    perform tenuto._record_ends(array(select e from unnest(v_ended) e where e.id = any (v_skipped)), 'skipped', null);
    owned := array(select e.id from unnest(v_ended) e where tenuto._has_parent(e.flags));
  end if;
  queued := tenuto._count_down(v_children, v_counts);
end
$$;
