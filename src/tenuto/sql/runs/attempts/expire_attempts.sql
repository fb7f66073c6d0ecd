-- running -> retrying | failed (or cancelled, if the attempt was asked to stop), for the attempts of every ended
-- session. Counts as a loss. Checks the current state, not recent events. So the next call also finds a claim that
-- commits after its session ended, and a claim whose session was pruned meanwhile. With p_keys, processes only these
-- tasks, even if they are parked.
create or replace function tenuto.expire_attempts(p_limit int default 5000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('expire_attempts', p_keys);
  v_ends tenuto.attempt_end[];
begin
  with lost as materialized (
    select r.ctid as tid
    from tenuto.running_tasks r
    where not exists (select from tenuto.sessions s where s.id = r.session_id and s.ended_at is null)
      and (p_keys is null or r.id = any (p_keys::uuid[]))
      and r.id <> all (v_parked)
    order by r.id
    limit p_limit
    for update of r skip locked
  ), gone as (
    delete from tenuto.running_tasks r where r.ctid = any (array(select tid from lost)) returning r as running
  )
  select array_agg((g.running, 'loss', false, null,
                    jsonb_build_object(
                      'reason', 'worker_lost',
                      'worker', s.worker_id,
                      'session', s.end_reason))::tenuto.attempt_end)
  into v_ends
  from gone g
  left join tenuto.sessions s on s.id = (g.running).session_id;
  if v_ends is not null then
    perform tenuto._make_ready(
      tenuto._end_failed_attempts(v_ends, false),
      array(select (e.running).id from unnest(v_ends) e where tenuto._has_limits((e.running).flags)));
    perform tenuto._wake_ready(array(select distinct (e.running).org_id from unnest(v_ends) e));
  end if;
  return coalesce(cardinality(v_ends), 0);
end
$$;
