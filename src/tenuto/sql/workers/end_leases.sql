-- Ends the leases of sessions of this host now, because their processes have ended: expire_sessions then ends the
-- sessions. Skips sessions that are locked; the caller tries them again. Returns how many leases it ended. Idempotent.
create or replace function tenuto.end_leases(p_host text, p_session_ids bigint[])
  returns bigint
  language plpgsql
as $$
declare
  v_count bigint;
begin
  with gone as (
    select s.id
    from tenuto.sessions s
    where s.id = any (p_session_ids)
      and s.process ->> 'host' = p_host
      and s.ended_at is null
      and s.expires_at > tenuto.now()
    order by s.id
    for no key update skip locked
  )
  update tenuto.sessions s
  set expires_at = tenuto.now(), process = s.process || '{"ended": true}'
  from gone
  where s.id = gone.id;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
