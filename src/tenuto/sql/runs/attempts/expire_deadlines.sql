-- running -> retrying | failed (or cancelled, if the attempt was asked to stop), for attempts past their timeout or
-- without a heartbeat for too long. Counts as a failure. The deadline is 5 seconds after the timeout, so that the
-- worker's own report, which has more detail, usually comes first. With p_keys, processes only these tasks, even if
-- they are parked.
create or replace function tenuto.expire_deadlines(p_limit int default 5000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('expire_deadlines', p_keys);
  v_floors tenuto.due_floors := tenuto._due_floors(p_keys);
  v_ends tenuto.attempt_end[];
begin
  with late as materialized (
    select r.ctid as tid
    from tenuto.running_tasks r
    where (r.deadline_at >= v_floors.deadline_at and r.deadline_at < tenuto.now()
           or r.silent_at >= v_floors.silent_at and r.silent_at < tenuto.now())
      and (p_keys is null or r.id = any (p_keys::uuid[]))
      and r.id <> all (v_parked)
    order by r.id
    limit p_limit
    for update skip locked
  ), gone as (
    delete from tenuto.running_tasks r where r.ctid = any (array(select tid from late)) returning r as running
  )
  select array_agg((g.running, 'failure', false, null,
                    jsonb_build_object(
                      'reason',
                      case when (g.running).deadline_at < tenuto.now()
                           then 'timeout'
                           else 'heartbeat_timeout' end))::tenuto.attempt_end)
  into v_ends
  from gone g;
  if v_ends is not null then
    perform tenuto._make_ready(
      tenuto._end_failed_attempts(v_ends, false),
      array(select (e.running).id from unnest(v_ends) e where tenuto._has_limits((e.running).flags)));
    perform tenuto._wake_ready(array(select distinct (e.running).org_id from unnest(v_ends) e));
  end if;
  return coalesce(cardinality(v_ends), 0);
end
$$;
