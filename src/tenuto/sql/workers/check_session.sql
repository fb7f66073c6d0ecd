-- Refuses a session that is not the key's own: TN001. What is called after it in the same transaction is for that session.
create or replace function tenuto.check_session(p_org_id uuid, p_worker_key_id uuid, p_session_id bigint, p_token uuid)
  returns void
  language plpgsql
  stable
as $$
begin
  perform tenuto._key_session(p_org_id, p_worker_key_id, p_session_id, p_token);
end
$$;
