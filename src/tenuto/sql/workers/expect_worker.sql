-- -> starting: a worker was requested and has not registered yet. Raises TN004 if a worker with that id exists and is
-- not terminated. p_pool_id: the pool that requests the worker's machine.
create or replace function tenuto.expect_worker(
  p_org_id uuid, p_worker_id text, p_instance_type text, p_metadata jsonb default '{}',
  p_pool_id uuid default null)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._check_worker(p_worker_id, p_instance_type, p_metadata);
  insert into tenuto.workers (org_id, id, instance_type, status, metadata, created_at, pool_id)
  values (p_org_id, p_worker_id, p_instance_type, 'starting', p_metadata, tenuto.now(), p_pool_id)
  on conflict (org_id, id) do update
    set status = 'starting', instance_type = excluded.instance_type, metadata = excluded.metadata,
        created_at = excluded.created_at, terminated_at = null, drained_at = null, drain_reason = null, error = null,
        error_at = null, last_heartbeat = null, pool_id = excluded.pool_id, machine = null, provider_id = null,
        busy_at = null, machine_ended_at = null, diagnostics = null, given_up_at = null, registered_at = null
    where workers.status = 'terminated';
  if not found then
    perform tenuto._raise('TN004', format('worker %s exists already', p_worker_id),
      'terminate it first, or choose another id');
  end if;
end
$$;
