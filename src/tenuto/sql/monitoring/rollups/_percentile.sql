-- Returns a percentile of run times in seconds from counts per bucket, in order: bucket n reaches from 2^((n-1)/2) to
-- 2^(n/2) ms, bucket 0 from 0 to 1 ms. Within a bucket the times are assumed to be spread evenly.
create or replace function tenuto._percentile(p_share float8, p_buckets smallint[], p_counts bigint[])
  returns float8
  language sql
  immutable parallel safe
as $$
  select b.low + (b.high - b.low) * least(greatest(p_share * b.total - b.before, 0) / b.count, 1)
  from (
    select case when n.bucket = 0 then 0 else 0.001 * power(2, (n.bucket - 1) / 2.0::float8) end as low,
           0.001 * power(2, n.bucket / 2.0::float8) as high,
           n.bucket, n.count, sum(n.count) over (order by n.bucket) - n.count as before, sum(n.count) over () as total
    from unnest(p_buckets, p_counts) n(bucket, count)
  ) b
  where b.before + b.count >= p_share * b.total
    and b.count > 0
  order by b.bucket
  limit 1;
$$;
