-- starting, active, draining -> error: the worker claims no more tasks. Its session ends, and expire_attempts then ends
-- the attempts that the session held. For a worker that is in state error already, the new error is stored.
create or replace function tenuto.fail_worker(p_org_id uuid, p_worker_id text, p_error text)
  returns void
  language plpgsql
as $$
begin
  update tenuto.workers
  set status = 'error',
      error = coalesce(tenuto._truncate_text(p_error, 4096), 'unknown'),
      error_at = case when status = 'error' then error_at else tenuto.now() end
  where org_id = p_org_id
    and id = p_worker_id
    and status in ('starting', 'active', 'draining', 'error');
  if not found then
    perform tenuto._raise('TN004', format('worker %s is not starting, active or draining', p_worker_id));
  end if;
  perform tenuto._end_sessions(p_org_id, p_worker_id, 'failed');
end
$$;
