-- Returns how many machines of a pool registered for the first time, and how many failed before they ever did, within
-- the window of its brake.
create or replace function tenuto._pool_spawns(
  p_org_id uuid, p_pool_id uuid, p_window interval, out registered bigint, out failed bigint)
  language sql
  stable
as $$
  select count(*) filter (where w.last_heartbeat is not null and (
           select min(s.started_at) from tenuto.sessions s where s.org_id = w.org_id and s.worker_id = w.id
         ) > tenuto.now() - p_window),
         count(*) filter (where w.last_heartbeat is null and w.error is not null
           and coalesce(w.error_at, w.terminated_at) > tenuto.now() - p_window)
  from tenuto.workers w
  where w.org_id = p_org_id
    and w.pool_id = p_pool_id
    and w.machine is null;
$$;
