-- Repeats cancels until all their tasks have ended. A task may have moved between two tables while the cancel read
-- them, or may have been queued again because its worker died. Cancels the tasks of all requests in one call, which
-- locks rows in the order of ADR 7. The requests come in random order, because in a fixed order the first hundred could
-- be for tasks that run for hours. Returns how many requests are finished. If all unfinished tasks of a request were
-- already marked as cancelled before a call, no task can be added any more: a marked task starts no children, and the
-- run is not open. Later calls then check only those tasks. When they have ended, one more call checks all tasks of the
-- request. With p_keys, processes only these requests (scope:id), even if they are parked.
create or replace function tenuto.sweep_cancelled(p_limit int default 100, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_parked text[] := tenuto._parked('sweep_cancelled', p_keys);
  v_requests tenuto.cancel_requests[] := array(
    select c
    from tenuto.cancel_requests c
    where (p_keys is null or c.scope || ':' || c.id = any (p_keys))
      and c.scope || ':' || c.id <> all (v_parked)
    order by random()
    limit p_limit
    for update skip locked);
  -- Tasks may still be added to these runs. This list is read before the tasks of the runs: the next call finds tasks
  -- that are added later.
  v_open uuid[] := array(
    select o.run_id from tenuto.open_runs o where o.run_id = any (array(select q.id from unnest(v_requests) q)));
  v_nos bigint[];
  v_ids uuid[];
  v_marked boolean[];
  v_done bigint;
begin
  select array_agg(q.no), array_agg(b.id), array_agg(coalesce(r.cancel, false))
  into v_nos, v_ids, v_marked
  from unnest(v_requests) with ordinality as q(id, scope, org_id, requested_at, open_ids, reason, at_commit, no)
  cross join lateral tenuto._open_below(q.id, q.scope, q.open_ids) as b(id)
  left join lateral (select u.cancel from tenuto.running_tasks u where u.id = b.id limit 1) r on true;
  perform tenuto._cancel_tasks(v_ids, null);

  with seen as materialized (
    select q.id, q.scope, count(b.id) as looked_at, coalesce(bool_and(b.marked), true) as marked,
           array_agg(o.id order by o.id) filter (where o.id is not null) as still
    from unnest(v_requests) with ordinality as q(id, scope, org_id, requested_at, open_ids, reason, at_commit, no)
    left join unnest(v_nos, v_ids, v_marked) as b(no, id, marked) on b.no = q.no
    left join tenuto._open_task_ids(v_ids) as o(id) on o.id = b.id
    group by q.id, q.scope
  ), kept as (
    update tenuto.cancel_requests c
    set open_ids = s.still
    from seen s
    where c.id = s.id and c.scope = s.scope and s.looked_at > 0 and s.marked and c.open_ids is distinct from s.still
      and c.id <> all (v_open)
  )
  delete from tenuto.cancel_requests c
  using seen s
  where c.id = s.id and c.scope = s.scope and s.looked_at = 0 and c.id <> all (v_open);
  get diagnostics v_done = row_count;
  return v_done;
end
$$;
