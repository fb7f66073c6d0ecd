-- Shows tasks of the last 24 hours, and tasks that run now, as the view `recent_task_activity` of Headless-WGP does.
create or replace view tenuto_compat_wgp.recent_task_activity
  with (security_invoker = true)
as
select
  a.id,
  tenuto_compat_wgp._task_status(a.status) as status,
  a.task_type,
  a.attempts,
  a.worker_id,
  a.created_at,
  a.started_at as generation_started_at,
  a.ended_at as generation_processed_at,
  a.updated_at,
  a.error_message,
  a.processing_duration_seconds,
  a.worker_instance_type,
  tenuto_compat_wgp._worker_status(a.worker_status) as worker_status
from tenuto.recent_task_activity a
where a.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_wgp.recent_task_activity
  for each row execute function tenuto_compat._refuse_write('the view shows counts and times');
