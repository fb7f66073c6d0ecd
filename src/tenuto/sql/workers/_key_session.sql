-- Returns the session of a worker that connects by HTTP, even if the session has ended. A session belongs to the worker
-- key that opened it: raises TN001 for any other key. Raises TN008 if the key was revoked or has expired since the
-- request began.
create or replace function tenuto._key_session(p_org_id uuid, p_worker_key_id uuid, p_session_id bigint, p_token uuid)
  returns tenuto.sessions
  language plpgsql
  stable
as $$
declare
  v_session tenuto.sessions;
begin
  select s.* into v_session
  from tenuto.sessions s
  where s.id = p_session_id
    and s.token = p_token
    and s.org_id = p_org_id
    and s.worker_key_id = p_worker_key_id;
  if not found then
    perform tenuto._raise('TN001', format('no session %s with this token and key', p_session_id),
      'open one: POST /internal/sessions');
  elsif not exists (
    select from tenuto.worker_keys k
    where k.id = p_worker_key_id and k.revoked_at is null and coalesce(k.expires_at, 'infinity') > tenuto.now()) then
    perform tenuto._raise('TN008', 'the worker key was revoked or has expired', 'ask for a new one');
  end if;
  return v_session;
end
$$;
