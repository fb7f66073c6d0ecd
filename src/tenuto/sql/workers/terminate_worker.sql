-- any -> terminated: the worker's session ends, and expire_attempts then ends the attempts that the session held.
-- Idempotent.
create or replace function tenuto.terminate_worker(p_org_id uuid, p_worker_id text)
  returns void
  language plpgsql
as $$
begin
  update tenuto.workers
  set status = 'terminated', terminated_at = coalesce(terminated_at, tenuto.now())
  where org_id = p_org_id
    and id = p_worker_id;
  if not found then
    perform tenuto._raise('TN001', format('no worker %s', p_worker_id));
  end if;
  perform tenuto._end_sessions(p_org_id, p_worker_id, 'terminated');
  perform tenuto._audit(p_org_id, 'worker', p_worker_id, 'terminate');
end
$$;
