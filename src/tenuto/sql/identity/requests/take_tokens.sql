-- Takes p_cost tokens from each of the buckets, or from none if one of them has too few. Bucket i holds at most
-- p_bursts[i] tokens and gains p_rates[i] per second. A bucket stores only the time when it will be full, from which
-- the number of its tokens follows: at rate 2/s and burst 10, full in 3 s means 4 tokens left. Call this function in a
-- separate transaction, because the buckets stay locked until the transaction ends. A call that waited for such a lock
-- gets the tokens that were added in the meantime.
create or replace function tenuto.take_tokens(
  p_org_id uuid, p_buckets text[], p_rates float8[], p_bursts float8[], p_cost float8 default 1,
  out allowed boolean, out retry_after float8)
  language plpgsql
as $$
begin
  if p_cost is null or p_cost < 0 or exists (
    select from unnest(p_buckets, p_rates, p_bursts) b(bucket, rate, burst)
    where b.bucket is null or b.rate is null or b.burst is null or b.rate <= 0 or b.burst < p_cost) then
    perform tenuto._raise('TN003',
      format('cannot take %s tokens from buckets %s with rates %s and bursts %s', p_cost, p_buckets, p_rates, p_bursts),
      'every rate must be positive, and every burst at least the number of tokens');
  end if;

  with wanted as materialized (
    select b.bucket, make_interval(secs => p_cost / b.rate) as pace, make_interval(secs => b.burst / b.rate) as depth
    from unnest(p_buckets, p_rates, p_bursts) b(bucket, rate, burst)
    order by b.bucket   -- all calls lock in this order
  )
  insert into tenuto.rate_buckets as r (org_id, bucket, full_at)
  select p_org_id, w.bucket, tenuto.now() + w.pace from wanted w
  on conflict (org_id, bucket) do update
    set full_at = greatest(r.full_at, tenuto.now()) + (excluded.full_at - tenuto.now());

  select max(extract(epoch from r.full_at - tenuto.now()) - tenuto._seconds_since_now() - b.burst / b.rate)
  into retry_after
  from unnest(p_buckets, p_rates, p_bursts) b(bucket, rate, burst)
  join tenuto.rate_buckets r on r.org_id = p_org_id and r.bucket = b.bucket;

  allowed := coalesce(retry_after, 0) <= 0.000001;   -- a smaller difference comes from rounding to microseconds
  if allowed then
    retry_after := 0;
    return;
  end if;
  update tenuto.rate_buckets r
  set full_at = r.full_at - make_interval(secs => p_cost / b.rate)
  from unnest(p_buckets, p_rates, p_bursts) b(bucket, rate, burst)
  where r.org_id = p_org_id
    and r.bucket = b.bucket;
end
$$;
