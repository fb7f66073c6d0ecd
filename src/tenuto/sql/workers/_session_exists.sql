-- Returns true if the token belongs to the session. The session may have ended: a late report is accepted if the
-- session still holds the task, even if its lease is over.
create or replace function tenuto._session_exists(p_session_id bigint, p_token uuid)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (select from tenuto.sessions where id = p_session_id and token = p_token);
end
$$;
