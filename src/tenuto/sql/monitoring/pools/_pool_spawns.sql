-- Returns how many machines of a pool registered for the first time within p_window, and how many failed within
-- p_window without having registered, each counted up to 10,000. last_failed: true if the latest machine that
-- registered or failed, however long ago, has failed.
create or replace function tenuto._pool_spawns(
  p_org_id uuid, p_pool_id uuid, p_window interval, out registered bigint, out failed bigint,
  out last_failed boolean)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off      -- without statistics the planner may read all machines of two weeks
  set enable_bitmapscan = off
  set enable_sort = off
  set jit = off
as $$
  with registered as materialized (
    select w.registered_at as at
    from tenuto.workers w
    where w.org_id = p_org_id
      and w.pool_id = p_pool_id
      and w.machine is null
      and w.registered_at is not null
    order by w.registered_at desc
    limit 1
  ), failed as materialized (
    select coalesce(w.error_at, w.terminated_at) as at
    from tenuto.workers w
    where w.org_id = p_org_id
      and w.pool_id = p_pool_id
      and w.machine is null
      and w.last_heartbeat is null
      and w.error is not null
    order by coalesce(w.error_at, w.terminated_at) desc
    limit 1
  )
  select (select count(*)
          from (select from tenuto.workers w
                where w.org_id = p_org_id and w.pool_id = p_pool_id and w.machine is null
                  and w.registered_at > tenuto.now() - p_window
                order by w.registered_at
                limit 10000) n),
         (select count(*)
          from (select from tenuto.workers w
                where w.org_id = p_org_id and w.pool_id = p_pool_id and w.machine is null
                  and w.last_heartbeat is null and w.error is not null
                  and coalesce(w.error_at, w.terminated_at) > tenuto.now() - p_window
                order by coalesce(w.error_at, w.terminated_at)
                limit 10000) n),
         coalesce((select f.at from failed f) > coalesce((select r.at from registered r), '-infinity'), false);
$$;
