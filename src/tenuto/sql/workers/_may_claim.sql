-- Whether the session lives and its worker may take more. Wrong or ended: TN002. Draining or in error: false.
create or replace function tenuto._may_claim(p_session_id bigint, p_token uuid)
  returns boolean
  language plpgsql
  stable
as $$
declare
  v_status text;
begin
  select w.status
  into v_status
  from tenuto.sessions s
  join tenuto.workers w on w.org_id = s.org_id and w.id = s.worker_id
  where s.id = p_session_id
    and s.token = p_token
    and s.ended_at is null;
  if not found then
    perform tenuto._raise('TN002', format('session %s has ended', p_session_id), 'register again: a new session claims anew');
  end if;
  return v_status = 'active';
end
$$;
