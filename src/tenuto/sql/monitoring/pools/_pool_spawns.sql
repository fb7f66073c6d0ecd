-- Returns how many machines of a pool registered for the first time, and how many failed before they ever did, within
-- the window of its brake; and whether the latest of them, however long ago, failed.
create or replace function tenuto._pool_spawns(
  p_org_id uuid, p_pool_id uuid, p_window interval, out registered bigint, out failed bigint,
  out last_failed boolean)
  language sql
  stable
as $$
  with machine as (
    select (select min(s.started_at) from tenuto.sessions s where s.org_id = w.org_id and s.worker_id = w.id
           ) as registered_at,
           case when w.last_heartbeat is null and w.error is not null
                then coalesce(w.error_at, w.terminated_at) end as failed_at
    from tenuto.workers w
    where w.org_id = p_org_id
      and w.pool_id = p_pool_id
      and w.machine is null
  )
  select count(*) filter (where m.registered_at > tenuto.now() - p_window),
         count(*) filter (where m.failed_at > tenuto.now() - p_window),
         coalesce(max(m.failed_at) > coalesce(max(m.registered_at), '-infinity'), false)
  from machine m;
$$;
