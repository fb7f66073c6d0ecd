-- Lists the newest tasks of each org, at most 500: tasks of runs that were started within the last 24 hours, and tasks
-- that run now. Shows how long they ran, on which workers, and the last error. attempts counts the attempts that failed
-- or were lost and the one in progress, as in task_status.
create or replace view tenuto.recent_task_activity
  with (security_invoker = true)
as
select
  o.id as org_id, a.id, a.run_id, a.name, a.status, a.task_type, a.queue, a.attempts, a.worker_id, a.created_at,
  a.started_at, a.ended_at, a.updated_at, a.error_message, a.processing_duration_seconds, a.worker_instance_type,
  a.worker_status, a.worker_ids
from tenuto.orgs o
cross join lateral tenuto._recent_activity(o.id) a;
