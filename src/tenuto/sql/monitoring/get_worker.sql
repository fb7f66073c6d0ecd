-- Returns a worker with the number of tasks that it runs, and its health. Raises TN001 if there is none with this id.
create or replace function tenuto.get_worker(p_org_id uuid, p_worker_id text)
  returns table (
    id text, status text, instance_type text, address text, labels text[], languages text[], metadata jsonb,
    running int, created_at timestamptz, last_heartbeat timestamptz, lease_expires_at timestamptz,
    drained_at timestamptz, drain_reason text, error text, terminated_at timestamptz, health_status text,
    stuck_tasks int, current_task_id uuid, current_task_type text, task_runtime_seconds float8, error_at timestamptz)
  language plpgsql
  stable
as $$
begin
  return query select * from tenuto._worker_rows(p_org_id, array[p_worker_id]);
  if not found then
    perform tenuto._raise('TN001', format('no worker %s', left(p_worker_id, 256)),
      'list the workers to see which exist');
  end if;
end
$$;
