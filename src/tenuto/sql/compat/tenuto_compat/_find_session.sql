-- Returns the open session of a worker that has no token: the session that its claim opened. The caller has locked the
-- worker's row. Raises TN004 for a session whose lease is not 600 s, because it belongs to a worker of Tenuto, which
-- keeps its own token.
create or replace function tenuto_compat._find_session(p_org_id uuid, p_worker_id text, out id bigint, out token uuid)
  language plpgsql
  stable
as $$
declare
  v_session record;
begin
  select s.id, s.token, s.lease_seconds
  into v_session
  from tenuto.sessions s
  where s.org_id = p_org_id
    and s.worker_id = p_worker_id
    and s.ended_at is null;
  if v_session.lease_seconds <> 600 then
    perform tenuto._raise('TN004',
      format('the worker id %s is used by a worker of Tenuto, which has its own session', p_worker_id),
      'choose another worker id');
  end if;
  id := v_session.id;
  token := v_session.token;
end
$$;
