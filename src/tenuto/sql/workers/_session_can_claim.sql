-- Whether the session lives and its worker may take more. Wrong or ended: TN002. Draining or in error: false.
create or replace function tenuto._session_can_claim(p_session_id bigint, p_token uuid)
  returns boolean
  language plpgsql
  stable
as $$
declare
  v_status text := tenuto._session_status(p_session_id, p_token);
begin
  if v_status is null then
    perform tenuto._raise('TN002', format('session %s has ended', p_session_id), 'register again: a new session claims anew');
  end if;
  return v_status = 'active';
end
$$;
