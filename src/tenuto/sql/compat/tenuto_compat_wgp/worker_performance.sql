-- Shows attempts of workers within seven days as the view `worker_performance` of Headless-WGP does. An attempt that
-- failed or was lost counts for the worker that held it.
create or replace view tenuto_compat_wgp.worker_performance
  with (security_invoker = true)
as
select
  p.worker_id,
  p.instance_type,
  tenuto_compat_wgp._worker_status(p.status) as status,
  p.worker_created_at,
  p.last_heartbeat,
  p.total_tasks_processed,
  p.completed_tasks,
  p.failed_tasks + p.lost_tasks as error_tasks,
  p.failed_tasks + p.lost_tasks as failed_tasks,
  p.current_running_tasks,
  p.success_rate_percent,
  p.avg_processing_time_seconds,
  p.uptime_hours
from tenuto.worker_performance p
where p.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_wgp.worker_performance
  for each row execute function tenuto_compat._refuse_write('the view shows counts and times');
