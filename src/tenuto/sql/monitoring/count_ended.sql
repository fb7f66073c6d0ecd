-- Returns how many attempts of the org ended within the last p_seconds (at most 60), counted up to 250,000.
create or replace function tenuto.count_ended(p_org_id uuid, p_seconds float8 default 5)
  returns bigint
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
  set enable_seqscan = off
  set max_parallel_workers_per_gather = 0
as $$
begin
  if p_seconds is null or p_seconds not between 0 and 60 then
    perform tenuto._raise('TN003', format('%s seconds are not between 0 and 60', p_seconds),
      'count the attempts of a minute at most');
  end if;
  return (
    select count(*)
    from (
      select
      from tenuto.task_attempts a
      where a.org_id = p_org_id and a.ended_at > tenuto.now() - make_interval(secs => p_seconds)
      limit 250000
    ) a);
end
$$;
