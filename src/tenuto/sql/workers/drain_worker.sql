-- active -> draining: the worker finishes the tasks that it holds and claims no more tasks. Idempotent. Raises TN004
-- for a worker in another state.
create or replace function tenuto.drain_worker(p_org_id uuid, p_worker_id text, p_reason text default null)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._check_name('the reason of a drain', nullif(p_reason, ''), 1024);
  update tenuto.workers
  set status       = 'draining',
      drained_at   = coalesce(drained_at, tenuto.now()),
      drain_reason = coalesce(p_reason, drain_reason)
  where org_id = p_org_id
    and id = p_worker_id
    and status in ('active', 'draining');
  if not found then
    perform tenuto._raise('TN004', format('worker %s is not active', p_worker_id));
  end if;
  perform tenuto._audit(p_org_id, 'worker', p_worker_id, 'drain', jsonb_build_object('reason', p_reason));
end
$$;
