-- Returns true if the session is open and its worker is active, false if the worker is draining or in error. Raises
-- TN002 if the session has ended or the token is wrong.
create or replace function tenuto._session_can_claim(p_session_id bigint, p_token uuid)
  returns boolean
  language plpgsql
  stable
as $$
declare
  v_status text := tenuto._session_status(p_session_id, p_token);
begin
  if v_status is null then
    perform tenuto._raise('TN002', format('session %s has ended', p_session_id),
      'register again to get a new session');
  end if;
  return v_status = 'active';
end
$$;
