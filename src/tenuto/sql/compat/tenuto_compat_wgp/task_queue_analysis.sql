-- Shows the types of tasks as the view `task_queue_analysis` of Headless-WGP does, one row per type.
create or replace view tenuto_compat_wgp.task_queue_analysis
  with (security_invoker = true)
as
select
  q.task_type,
  q.queued_tasks,
  q.running_tasks,
  q.completed_tasks,
  q.failed_tasks,
  q.avg_queue_time_seconds / 60 as avg_queue_time_minutes,
  q.max_queue_time_seconds / 60 as max_queue_time_minutes,
  q.avg_processing_time_seconds,
  q.max_processing_time_seconds,
  q.error_count,
  q.error_rate_percent
from tenuto.task_queue_analysis q
where q.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_wgp.task_queue_analysis
  for each row execute function tenuto_compat._refuse_write('the view shows counts and times');
