-- Adds to the rollups the attempts that ended at or after p_from and before p_to, and returns how many there were. Run
-- times are those of completed attempts; waiting times are those of attempts that started. Attempts with another
-- outcome than completed, failed, cancelled, skipped, retrying or lost (snoozed, interrupted, waiting …) count only as
-- started. Bucket n has the run times from 2^((n-1)/2) to 2^(n/2) ms, bucket 0 those below 1 ms.
create or replace function tenuto._roll_up(p_from timestamptz, p_to timestamptz)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set max_parallel_workers_per_gather = 0
as $$
declare
  v_count bigint;
begin
  with ended as (
    select a.org_id, date_trunc('minute', a.ended_at, 'UTC') as minute,
           coalesce(a.route_id, (select t.route_id from tenuto.tasks t where t.id = a.task_id limit 1)) as route_id,
           a.session_id, a.outcome, a.ended_at,
           greatest(date_part('epoch', a.ended_at - a.started_at), 0) as run_seconds,
           greatest(date_part('epoch', a.started_at - a.queued_at), 0) as queue_seconds
    from tenuto.task_attempts a
    where a.ended_at >= p_from
      and a.ended_at < p_to
  ), cell as materialized (
    select e.org_id, e.minute, e.route_id, e.session_id,
           case when e.outcome <> 'completed' or e.run_seconds is null then -1
                when e.run_seconds < 0.001 then 0
                else least(1 + floor(2 * ln(e.run_seconds * 1000) / ln(2)), 70) end::smallint as bucket,
           count(*) as ended,
           count(*) filter (where e.outcome = 'completed') as completed,
           count(*) filter (where e.outcome = 'failed') as failed,
           count(*) filter (where e.outcome = 'cancelled') as cancelled,
           count(*) filter (where e.outcome = 'skipped') as skipped,
           count(*) filter (where e.outcome = 'retrying') as retried,
           count(*) filter (where e.outcome = 'lost') as lost,
           coalesce(sum(e.run_seconds) filter (where e.outcome = 'completed'), 0) as run_seconds,
           coalesce(max(e.run_seconds) filter (where e.outcome = 'completed'), 0) as max_run_seconds,
           count(e.queue_seconds) as started,
           coalesce(sum(e.queue_seconds), 0) as queue_seconds,
           coalesce(max(e.queue_seconds), 0) as max_queue_seconds,
           max(e.ended_at) as last_ended_at
    from ended e
    group by 1, 2, 3, 4, 5
  ), added as (
    insert into tenuto.rollups as r (org_id, period, dimension, starts_at, name, bucket, completed, failed, cancelled,
      skipped, retried, lost, run_seconds, max_run_seconds, started, queue_seconds, max_queue_seconds, last_ended_at)
    select c.org_id, p.period, d.dimension, p.starts_at, d.name, d.bucket, sum(c.completed), sum(c.failed),
           sum(c.cancelled), sum(c.skipped), sum(c.retried), sum(c.lost), sum(c.run_seconds), max(c.max_run_seconds),
           sum(c.started), sum(c.queue_seconds), max(c.max_queue_seconds), max(c.last_ended_at)
    from cell c
    join tenuto.routes o on o.id = c.route_id
    left join tenuto.sessions s on s.id = c.session_id
    cross join lateral (values
      ('type', o.type, c.bucket), ('worker', s.worker_id, -1::smallint)) d(dimension, name, bucket)
    cross join lateral (values
      ('minute', c.minute), ('hour', date_trunc('hour', c.minute, 'UTC')), ('day', date_trunc('day', c.minute, 'UTC')),
      ('total', 'epoch')) p(period, starts_at)
    where d.name is not null
      and (p.period <> 'total' or d.dimension = 'type')
    group by 1, 2, 3, 4, 5, 6
    order by 1, 2, 3, 4, 5, 6
    on conflict (org_id, period, dimension, starts_at, name, bucket) do update
      set completed = r.completed + excluded.completed,
          failed = r.failed + excluded.failed,
          cancelled = r.cancelled + excluded.cancelled,
          skipped = r.skipped + excluded.skipped,
          retried = r.retried + excluded.retried,
          lost = r.lost + excluded.lost,
          run_seconds = r.run_seconds + excluded.run_seconds,
          max_run_seconds = greatest(r.max_run_seconds, excluded.max_run_seconds),
          started = r.started + excluded.started,
          queue_seconds = r.queue_seconds + excluded.queue_seconds,
          max_queue_seconds = greatest(r.max_queue_seconds, excluded.max_queue_seconds),
          last_ended_at = greatest(r.last_ended_at, excluded.last_ended_at)
  )
  select coalesce(sum(c.ended), 0) into v_count from cell c;
  return v_count;
end
$$;
