-- Raises TN001 unless the session belongs to the worker key, and TN008 if the key was revoked or has expired. Called at
-- the beginning of a transaction in which the caller then acts for this session.
create or replace function tenuto.check_session(p_org_id uuid, p_worker_key_id uuid, p_session_id bigint, p_token uuid)
  returns void
  language plpgsql
  stable
as $$
begin
  perform tenuto._key_session(p_org_id, p_worker_key_id, p_session_id, p_token);
end
$$;
