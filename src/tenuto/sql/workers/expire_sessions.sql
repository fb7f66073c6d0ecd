-- Ends the sessions whose lease has expired: their workers -> error. expire_attempts then ends the attempts that the
-- sessions held. With p_keys, processes only these sessions, even if they are parked.
create or replace function tenuto.expire_sessions(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_count bigint;
  v_parked bigint[] := tenuto._parked('expire_sessions', p_keys);
begin
  with silent as materialized (
    select s.id
    from tenuto.sessions s
    join tenuto.workers w on w.org_id = s.org_id and w.id = s.worker_id
    where s.ended_at is null and s.expires_at < tenuto.now()
      and (p_keys is null or s.id = any (p_keys::bigint[]))
      and s.id <> all (v_parked)
    order by s.expires_at
    limit p_limit
    for no key update of w, s skip locked   -- a row is locked while its worker registers or closes its session
  ), ended as (
    update tenuto.sessions s
    set ended_at = tenuto.now(), end_reason = 'expired'
    from silent
    where s.id = silent.id
      and s.ended_at is null
      and s.expires_at < tenuto.now()
    returning s.org_id, s.worker_id, s.process
  ), lost as (
    update tenuto.workers w
    set status = 'error',
        error = case when e.process ? 'ended' then 'its process ended' else 'its lease expired' end,
        error_at = tenuto.now()
    from ended e
    where w.org_id = e.org_id
      and w.id = e.worker_id
      and w.status in ('starting', 'active', 'draining')
  )
  select count(*) into v_count from ended;
  return v_count;
end
$$;
