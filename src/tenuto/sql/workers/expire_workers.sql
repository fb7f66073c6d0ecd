-- starting -> error if the worker has not registered in time; active, draining -> error if the worker has no session
-- and sent no heartbeat in time; error -> terminated after a grace period. With p_keys, processes only these workers
-- (org:id), even if they are parked. A worker that registers, sends a heartbeat or fails meanwhile is not changed.
create or replace function tenuto.expire_workers(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_count bigint;
  v_parked text[] := tenuto._parked('expire_workers', p_keys);
begin
  with locked as materialized (
    select w.org_id, w.id, o.status, o.last_heartbeat, o.error_at, o.error
    from tenuto._overdue_workers() o
    join tenuto.workers w on w.org_id = o.org_id and w.id = o.id
    where (p_keys is null or o.org_id || ':' || o.id = any (p_keys))
      and o.org_id || ':' || o.id <> all (v_parked)
    order by o.since
    limit p_limit
    for no key update of w skip locked
  ), moved as (
    update tenuto.workers w
    set status = case when l.status = 'error' then 'terminated' else 'error' end,
        error = l.error,
        error_at = coalesce(l.error_at, tenuto.now()),
        terminated_at = case when l.status = 'error' then tenuto.now() end
    from locked l
    where w.org_id = l.org_id
      and w.id = l.id
      and w.status = l.status
      and w.last_heartbeat is not distinct from l.last_heartbeat
      and w.error_at is not distinct from l.error_at
    returning w.id
  )
  select count(*) into v_count from moved;
  return v_count;
end
$$;
