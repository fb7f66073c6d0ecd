-- pending -> queued | cancelled | skipped, for those of the tasks that are stranded (_stranded_pending). How the tasks
-- ended that a task depends on decides what becomes of it, as in _end_dependents. For tasks of cancelled runs, requests
-- to cancel these runs again. Skips rows that another transaction has locked. Returns how many tasks it moved, and the
-- queued tasks to make ready.
create or replace function tenuto._repair_pending(p_ids uuid[], out moved int, out queued tenuto.queued_task[])
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_ids uuid[] := array(
    select p.id from tenuto.pending_tasks p where p.id = any (p_ids) order by p.id for update skip locked);
  v_found record;
  v_ended tenuto.queued_task[];
  v_results text[];
  v_result text;
  v_owned uuid[];
  v_dependents record;
begin
  with stranded as materialized (   -- a new statement, which sees what was committed before the locks
    select p.id, p.org_id, p.run_id, p.remaining, r.cancel_requested_at, r.cancel_reason,
           (select min(tenuto._edge_result(d.runs_on, a.outcome, t.optional))
              filter (where tenuto._edge_result(d.runs_on, a.outcome, t.optional) <> 'satisfied')
            from tenuto.task_dependencies d
            join tenuto.task_attempts a on a.task_id = d.parent_id and a.end_no = 0
            join tenuto.tasks t on t.id = d.parent_id
            where d.child_id = p.id) as result   -- if there are both, cancelled wins over skipped
    from tenuto._stranded_pending(v_ids) p
    join tenuto.runs r on r.id = p.run_id
  ), cancels as (
    insert into tenuto.cancel_requests (id, scope, org_id, requested_at, reason)
    select distinct s.run_id, 'run', s.org_id, tenuto.now(), s.cancel_reason
    from stranded s
    where s.cancel_requested_at is not null
    on conflict do nothing
  )
  select coalesce(array_agg(s.id order by s.id) filter (where s.result is null), '{}') as free,
         array_agg(s.remaining order by s.id) filter (where s.result is null) as remaining,
         coalesce(array_agg(s.id order by s.id) filter (where s.result is not null), '{}') as doomed,
         array_agg(s.result order by s.id) filter (where s.result is not null) as results
  into v_found
  from stranded s
  where s.cancel_requested_at is null;
  moved := cardinality(v_found.free) + cardinality(v_found.doomed);

  if v_found.doomed <> '{}' then
    with gone as (
      delete from tenuto.pending_tasks where id = any (v_found.doomed) returning *
    )
    select array_agg((g.id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task
                     order by g.id),
           array_agg(r.result order by g.id)
    into v_ended, v_results
    from gone g
    join unnest(v_found.doomed, v_found.results) r(id, result) on r.id = g.id;
    for v_result in select distinct r from unnest(v_results) r
    loop
      perform tenuto._record_ends(
        array(
          select (id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task
          from unnest(v_ended, v_results)
            as e(id, org_id, run_id, route_id, group_no, priority, attempt, flags, result)
          where e.result = v_result),
        v_result,
        case when v_result = 'cancelled' then '{"reason": "a task it depends on did not complete"}'::jsonb end);
    end loop;
    v_dependents := tenuto._end_dependents(v_found.doomed, v_found.results);
    v_owned := array(select e.id from unnest(v_ended) e where tenuto._has_parent(e.flags)) || v_dependents.owned;
    queued := v_dependents.queued;
    if v_owned <> '{}' then
      queued := queued || tenuto._notify_parents(v_owned);
    end if;
  end if;
  if v_found.free <> '{}' then
    queued := queued || tenuto._count_down(v_found.free, v_found.remaining);
  end if;
end
$$;
