-- Returns true if the token is the session's, open or ended: a late report is judged by the tasks it still holds, not
-- by the lease.
create or replace function tenuto._session_exists(p_session_id bigint, p_token uuid)
  returns boolean
  language plpgsql
  stable
as $$
begin
  return exists (select from tenuto.sessions where id = p_session_id and token = p_token);
end
$$;
