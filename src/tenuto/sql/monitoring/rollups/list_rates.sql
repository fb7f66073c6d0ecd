-- Returns how many attempts of an org ended in each of the last p_limit minutes, hours or days, oldest first, and how
-- long they took. Reads the rollups, which go back 3 hours (per minute), 8 days (per hour) or 90 days (per day), and
-- leave out attempts that ended after the last rollup. p_type: only attempts of this task type. Leaves out minutes,
-- hours or days in which no attempt ended. p50_seconds, p95_seconds: run times of completed attempts. queue_seconds:
-- the mean time from ready to start.
create or replace function tenuto.list_rates(
  p_org_id uuid, p_period text default 'minute', p_limit int default 60, p_type text default null)
  returns table (
    starts_at timestamptz, completed bigint, failed bigint, retried bigint, lost bigint, cancelled bigint,
    p50_seconds float8, p95_seconds float8, queue_seconds float8)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
begin
  perform tenuto._check_page(p_limit);
  if p_period not in ('minute', 'hour', 'day') then
    perform tenuto._raise('TN003', format('%L is not a period', p_period), 'write minute, hour or day');
  end if;

  return query
  with cell as materialized (
    select r.starts_at, r.bucket, sum(r.completed)::bigint as completed, sum(r.failed)::bigint as failed,
           sum(r.retried)::bigint as retried, sum(r.lost)::bigint as lost, sum(r.cancelled)::bigint as cancelled,
           sum(r.started)::bigint as started, sum(r.queue_seconds) as queue_seconds
    from tenuto.rollups r
    where r.org_id = p_org_id
      and r.period = p_period
      and r.dimension = 'type'
      and r.starts_at > date_trunc(p_period, tenuto.now(), 'UTC') - p_limit * ('1 ' || p_period)::interval
      and (p_type is null or r.name = p_type)
    group by 1, 2
  ), ended as materialized (
    select c.starts_at, sum(c.completed)::bigint as completed, sum(c.failed)::bigint as failed,
           sum(c.retried)::bigint as retried, sum(c.lost)::bigint as lost, sum(c.cancelled)::bigint as cancelled,
           sum(c.queue_seconds) / nullif(sum(c.started), 0)::float8 as queue_seconds
    from cell c
    group by 1
  ), spread as materialized (   -- bucket n: run times from 2^((n-1)/2) to 2^(n/2) ms, assumed to be spread evenly
    select c.starts_at, c.completed as count, sum(c.completed) over whole as total,
           sum(c.completed) over before_it - c.completed as before,
           case when c.bucket = 0 then 0 else 0.001 * power(2, (c.bucket - 1) / 2.0::float8) end as low,
           0.001 * power(2, c.bucket / 2.0::float8) as high
    from cell c
    where c.bucket >= 0
      and c.completed > 0
    window whole as (partition by c.starts_at), before_it as (partition by c.starts_at order by c.bucket)
  ), percentile as materialized (   -- min: of the buckets that reach a share, the first one counts
    select s.starts_at, min(p.seconds) filter (where p.share = 0.5) as p50,
           min(p.seconds) filter (where p.share = 0.95) as p95
    from spread s
    cross join lateral (
      select h.share, s.low + (s.high - s.low) * least(greatest(h.share * s.total - s.before, 0) / s.count, 1)::float8
      from (values (0.5), (0.95)) h(share)
      where s.before + s.count >= h.share * s.total) p(share, seconds)
    group by 1
  )
  select e.starts_at, e.completed, e.failed, e.retried, e.lost, e.cancelled, p.p50, p.p95, e.queue_seconds
  from ended e
  left join percentile p on p.starts_at = e.starts_at
  order by e.starts_at;
end
$$;
