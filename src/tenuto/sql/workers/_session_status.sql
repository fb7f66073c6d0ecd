-- Returns the status of the session's worker; null if the session has ended or the token is wrong.
create or replace function tenuto._session_status(p_session_id bigint, p_token uuid)
  returns text
  language plpgsql
  stable
as $$
begin
  return (
    select w.status
    from tenuto.sessions s
    join tenuto.workers w on w.org_id = s.org_id and w.id = s.worker_id
    where s.id = p_session_id
      and s.token = p_token
      and s.ended_at is null);
end
$$;
