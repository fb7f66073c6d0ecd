-- Returns a page of workers in the order of their ids, starting after the id p_after. Without p_status, leaves out
-- terminated workers.
create or replace function tenuto.list_workers(
  p_org_id uuid, p_status text default null, p_after text default null, p_limit int default 50)
  returns table (
    id text, status text, instance_type text, address text, labels text[], languages text[], metadata jsonb,
    running int, created_at timestamptz, last_heartbeat timestamptz, lease_expires_at timestamptz,
    drained_at timestamptz, drain_reason text, error text, terminated_at timestamptz, health_status text,
    stuck_tasks int, current_task_id uuid, current_task_type text, task_runtime_seconds float8, error_at timestamptz)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  if p_status not in ('starting', 'active', 'draining', 'error', 'terminated') then
    perform tenuto._raise('TN003', format('%L is not a status of a worker', p_status),
      'write starting, active, draining, error or terminated');
  end if;
  return query
  select r.*
  from tenuto._worker_rows(p_org_id, array(
    select w.id
    from tenuto.workers w
    where w.org_id = p_org_id
      and (p_after is null or w.id > p_after)
      and case when p_status is null then w.status <> 'terminated' else w.status = p_status end
    order by w.id
    limit p_limit)) r;
end
$$;
