-- Ends the open sessions of a worker.
create or replace function tenuto._end_sessions(p_org_id uuid, p_worker_id text, p_reason text)
  returns void
  language sql
as $$
  update tenuto.sessions
  set ended_at = tenuto.now(), end_reason = p_reason
  where org_id = p_org_id
    and worker_id = p_worker_id
    and ended_at is null;
$$;
