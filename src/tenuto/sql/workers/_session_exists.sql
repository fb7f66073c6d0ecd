-- Returns true if the token belongs to the session. The session may have ended: whether a late report is accepted
-- depends on the tasks that the session still holds, not on its lease.
create or replace function tenuto._session_exists(p_session_id bigint, p_token uuid)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (select from tenuto.sessions where id = p_session_id and token = p_token);
end
$$;
