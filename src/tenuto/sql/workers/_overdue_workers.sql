-- Returns the workers that expire_workers moves to another state, with the error to record. These are workers in state
-- starting that have not registered in time, active and draining workers that have no session and sent no heartbeat in
-- time, and workers in state error whose grace period has passed. For a worker of a pool, the time to register is the
-- spawn timeout of the pool.
create or replace function tenuto._overdue_workers()
  returns table (
    org_id uuid, id text, status text, last_heartbeat timestamptz, error_at timestamptz, error text, since timestamptz)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  select w.org_id, w.id, w.status, w.last_heartbeat, w.error_at, d.error, d.since
  from tenuto.workers w
  join tenuto.orgs o on o.id = w.org_id
  left join tenuto.pools p on p.org_id = w.org_id and p.id = w.pool_id
  cross join lateral tenuto._health_thresholds(o.settings) h
  cross join lateral (
    select coalesce(interval '1 second' * p.spawn_timeout_seconds, h.start_within) as start_within,
           h.silent_after, h.error_grace
  ) t
  cross join lateral (
    select case w.status
             when 'starting' then 'it did not register within ' || extract(epoch from t.start_within)::float8 || ' s'
             when 'error' then w.error
             else 'it sent no heartbeat for ' || extract(epoch from t.silent_after)::float8 || ' s'
           end as error,
           case w.status
             when 'starting' then w.created_at + t.start_within
             when 'error' then w.error_at + t.error_grace
             else coalesce(w.last_heartbeat, w.created_at) + t.silent_after
           end as since
  ) d
  where w.status <> 'terminated'
    and d.since <= tenuto.now()
    and (w.status in ('starting', 'error') or not exists (
      select from tenuto.sessions s
      where s.org_id = w.org_id
        and s.worker_id = w.id
        and s.ended_at is null));
$$;
