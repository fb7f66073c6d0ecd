-- Extends a session's lease, merges the worker's metrics and appends to its log. Raises TN002 if the session has ended
-- or the token is wrong: an ended session is never opened again. The worker's row is locked before the session's row,
-- as in every function that ends sessions. The session is checked while the worker's row is locked. On a copy of the
-- database, the sessions of the original have ended, and its workers cannot register again.
create or replace function tenuto._renew_session(
  p_session_id bigint, p_token uuid, p_metrics jsonb, p_logs jsonb default null)
  returns void
  language plpgsql
as $$
declare
  v_session tenuto.sessions;
begin
  perform tenuto._check_size('the metrics of a heartbeat', p_metrics);
  if tenuto._copy_problem() is not null then
    perform tenuto._raise('TN002', format('session %s is a session of another database', p_session_id),
      'register again to get a new session');
  end if;
  update tenuto.workers w
  set last_heartbeat = tenuto.now(), metadata = tenuto._merge_metadata(w.metadata, coalesce(p_metrics, '{}'))
  from tenuto.sessions s
  where s.id = p_session_id
    and w.org_id = s.org_id
    and w.id = s.worker_id;

  update tenuto.sessions
  set expires_at = tenuto.now() + make_interval(secs => lease_seconds)
  where id = p_session_id
    and token = p_token
    and ended_at is null
  returning * into v_session;
  if not found then
    perform tenuto._raise('TN002', format('session %s has ended', p_session_id),
      'register again to get a new session');
  end if;
  if p_logs is not null then
    perform tenuto._write_worker_logs(v_session.org_id, v_session.worker_id, p_logs);
  end if;
end
$$;
