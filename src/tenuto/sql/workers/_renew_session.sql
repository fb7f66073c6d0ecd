-- Extends a session's lease and merges the worker's metrics. An ended session never revives.
create or replace function tenuto._renew_session(p_session_id bigint, p_token uuid, p_metrics jsonb)
  returns void
  language plpgsql
as $$
declare
  v_session tenuto.sessions;
begin
  update tenuto.sessions
  set expires_at = tenuto.now() + make_interval(secs => lease_seconds)
  where id = p_session_id
    and token = p_token
    and ended_at is null
  returning * into v_session;
  if not found then
    perform tenuto._raise('TN002', format('session %s has ended', p_session_id), 'register again: a new session claims anew');
  end if;

  update tenuto.workers
  set last_heartbeat = tenuto.now(), metadata = metadata || coalesce(p_metrics, '{}')
  where org_id = v_session.org_id
    and id = v_session.worker_id;
end
$$;
