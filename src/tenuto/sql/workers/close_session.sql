-- any other state -> terminated: ends the session of a worker that stops. expire_attempts then ends the attempts that
-- the session still held.
create or replace function tenuto.close_session(p_session_id bigint, p_token uuid)
  returns void
  language plpgsql
as $$
declare
  v_session tenuto.sessions;
begin
  perform
  from tenuto.workers w
  join tenuto.sessions s on s.org_id = w.org_id and s.worker_id = w.id
  where s.id = p_session_id
  for no key update of w;   -- locks the worker before the session, as every function does

  update tenuto.sessions
  set ended_at = tenuto.now(), end_reason = 'closed'
  where id = p_session_id
    and token = p_token
    and ended_at is null
  returning * into v_session;
  if not found then
    return;
  end if;

  update tenuto.workers
  set status = 'terminated', terminated_at = tenuto.now()
  where org_id = v_session.org_id
    and id = v_session.worker_id
    and status <> 'terminated';
end
$$;
