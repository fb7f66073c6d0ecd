-- Lists the workers with what they did within seven days (whole days, UTC). An attempt that failed or was lost counts
-- for the worker that held it. Includes attempts that ended before rolled_up_until (orchestrator_status).
create or replace view tenuto.worker_performance
  with (security_invoker = true)
as
select
  o.id as org_id, (p.worker).id as worker_id, (p.worker).instance_type, (p.worker).status,
  (p.worker).created_at as worker_created_at, (p.worker).last_heartbeat,
  p.completed_tasks + p.failed_tasks + p.lost_tasks as total_tasks_processed,
  p.completed_tasks, p.failed_tasks, p.lost_tasks, p.running_tasks as current_running_tasks,
  round(100.0 * p.completed_tasks / nullif(p.completed_tasks + p.failed_tasks + p.lost_tasks, 0), 1)::float8
    as success_rate_percent,
  p.run_seconds / nullif(p.completed_tasks, 0) as avg_processing_time_seconds,
  p.max_run_seconds as max_processing_time_seconds, p.uptime_hours, p.last_ended_at
from tenuto.orgs o
cross join lateral tenuto._worker_totals(o.id) p;
