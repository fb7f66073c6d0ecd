-- Returns what each worker of an org did within seven days, and for how many hours it was up. The hours are the time of
-- its sessions. For a worker without sessions, they are the time from its creation to its last heartbeat.
create or replace function tenuto._worker_totals(p_org_id uuid)
  returns table (
    worker tenuto.workers, running_tasks bigint, completed_tasks bigint, failed_tasks bigint, lost_tasks bigint,
    run_seconds float8, max_run_seconds float8, uptime_hours float8, last_ended_at timestamptz)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with held as materialized (
    select s.worker_id, count(*) as running
    from tenuto.running_tasks r
    join tenuto.sessions s on s.id = r.session_id
    where r.org_id = p_org_id
    group by 1
  ), done as materialized (
    select r.name, sum(r.completed)::bigint as completed, sum(r.failed + r.retried)::bigint as failed,
           sum(r.lost)::bigint as lost, sum(r.run_seconds) as run_seconds, max(r.max_run_seconds) as max_run_seconds,
           max(r.last_ended_at) as last_ended_at
    from tenuto.rollups r
    where r.org_id = p_org_id
      and r.period = 'day'
      and r.dimension = 'worker'
      and r.starts_at >= date_trunc('day', tenuto.now() - interval '7 days', 'UTC')
    group by 1
  ), life as materialized (
    select s.worker_id,
           sum(extract(epoch from coalesce(s.ended_at, tenuto.now())
               - greatest(s.started_at, tenuto.now() - interval '7 days')))::float8 as seconds
    from tenuto.sessions s
    where s.org_id = p_org_id
      and coalesce(s.ended_at, 'infinity') > tenuto.now() - interval '7 days'
    group by 1
  )
  select w, coalesce(h.running, 0), coalesce(d.completed, 0), coalesce(d.failed, 0), coalesce(d.lost, 0),
         coalesce(d.run_seconds, 0), d.max_run_seconds,
         coalesce(l.seconds, greatest(extract(epoch from w.last_heartbeat
           - greatest(w.created_at, tenuto.now() - interval '7 days')), 0), 0) / 3600,
         d.last_ended_at
  from tenuto.workers w
  left join done d on d.name = w.id
  left join life l on l.worker_id = w.id
  left join held h on h.worker_id = w.id
  where w.org_id = p_org_id;
$$;
