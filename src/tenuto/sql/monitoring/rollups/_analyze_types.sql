-- Returns the numbers of task_queue_analysis for an org. Includes types that have ready or running tasks now, or
-- attempts that ended within the last 24 hours. The oldest of these hours is counted as a whole.
create or replace function tenuto._analyze_types(p_org_id uuid)
  returns table (
    type text, queued_tasks bigint, running_tasks bigint, oldest_queued_seconds float8, avg_queue_time_seconds float8,
    max_queue_time_seconds float8, avg_start_delay_seconds float8, max_start_delay_seconds float8,
    completed_tasks bigint, failed_tasks bigint, cancelled_tasks bigint, error_count bigint, error_rate_percent float8,
    avg_processing_time_seconds float8, p50_processing_time_seconds float8, p95_processing_time_seconds float8,
    p99_processing_time_seconds float8, max_processing_time_seconds float8)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with queued as materialized (
    select o.type, sum(n.ready)::bigint as tasks, min(n.queued_at) as queued_at, sum(n.waited_seconds) as waited
    from tenuto._ready_by_route(p_org_id) n
    join tenuto.routes o on o.id = n.route_id
    where n.ready > 0
    group by 1
  ), running as materialized (
    select o.type, count(*) as tasks
    from tenuto.running_tasks u
    join tenuto.routes o on o.id = u.route_id
    where u.org_id = p_org_id
    group by 1
  ), bucket as materialized (
    select r.name as type, r.bucket, sum(r.completed)::bigint as completed, sum(r.failed)::bigint as failed,
           sum(r.cancelled)::bigint as cancelled, sum(r.failed + r.retried + r.lost)::bigint as errors,
           sum(r.run_seconds) as run_seconds, max(r.max_run_seconds) as max_run_seconds,
           sum(r.started)::bigint as started, sum(r.queue_seconds) as queue_seconds,
           max(r.max_queue_seconds) as max_queue_seconds
    from tenuto.rollups r
    where r.org_id = p_org_id
      and r.period = 'hour'
      and r.dimension = 'type'
      and r.starts_at >= date_trunc('hour', tenuto.now() - interval '24 hours', 'UTC')
    group by 1, 2
  ), ended as materialized (
    select b.type, sum(b.completed)::bigint as completed, sum(b.failed)::bigint as failed,
           sum(b.cancelled)::bigint as cancelled, sum(b.errors)::bigint as errors, sum(b.run_seconds) as run_seconds,
           max(b.max_run_seconds) as max_run_seconds, sum(b.started)::bigint as started,
           sum(b.queue_seconds) as queue_seconds, max(b.max_queue_seconds) as max_queue_seconds
    from bucket b
    group by 1
  ), share as materialized (
    select b.type, b.completed, sum(b.completed) over before_it as upto, sum(b.completed) over whole as total,
           case when b.bucket = 0 then 0 else 0.001 * power(2, (b.bucket - 1) / 2.0::float8) end as low,
           0.001 * power(2, b.bucket / 2.0::float8) as high
    from bucket b
    where b.bucket >= 0
      and b.completed > 0
    window whole as (partition by b.type), before_it as (partition by b.type order by b.bucket)
  ), percentile as materialized (   -- min: of the buckets that reach a share, the first one counts
    select s.type, min(p.seconds) filter (where p.share = 0.5) as p50,
           min(p.seconds) filter (where p.share = 0.95) as p95, min(p.seconds) filter (where p.share = 0.99) as p99
    from share s
    cross join lateral (
      select q.share, s.low + (s.high - s.low) * least(
               greatest(q.share * s.total - (s.upto - s.completed), 0) / s.completed, 1)::float8 as seconds
      from unnest('{0.5,0.95,0.99}'::float8[]) q(share)
      where s.upto >= q.share * s.total) p
    group by 1
  ), type as materialized (
    select q.type from queued q union select u.type from running u union select e.type from ended e
  )
  select t.type, coalesce(q.tasks, 0), coalesce(u.tasks, 0), extract(epoch from tenuto.now() - q.queued_at)::float8,
         q.waited / q.tasks, extract(epoch from tenuto.now() - q.queued_at)::float8,
         e.queue_seconds / nullif(e.started, 0), e.max_queue_seconds, coalesce(e.completed, 0), coalesce(e.failed, 0),
         coalesce(e.cancelled, 0), coalesce(e.errors, 0),
         round(100.0 * e.errors / nullif(e.completed + e.errors, 0), 2)::float8,
         e.run_seconds / nullif(e.completed, 0),
         least(p.p50, e.max_run_seconds), least(p.p95, e.max_run_seconds), least(p.p99, e.max_run_seconds),
         nullif(e.max_run_seconds, 0)
  from type t
  left join queued q on q.type = t.type
  left join running u on u.type = t.type
  left join ended e on e.type = t.type
  left join percentile p on p.type = t.type;
$$;
