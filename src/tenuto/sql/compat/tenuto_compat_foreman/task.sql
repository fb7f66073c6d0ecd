-- Shows tasks as the table `task` of Foreman does. An insert adds a task to an open run, or starts a child of a running
-- task. An update of the status to cancelled cancels the task. org_id is the slug of the org.
create or replace view tenuto_compat_foreman.task
  with (security_invoker = true)
as
select
  t.id,
  t.run_id,
  t.parent_id as parent_task_id,
  o.slug as org_id,
  t.type,
  case t.status when 'waiting' then 'running' when 'skipped' then 'cancelled' else t.status end as status,
  coalesce(t.input, 'null') as input_data,
  t.output as output_data,
  t.error as error_data,
  t.metadata,
  least(t.failures + t.losses, t.max_attempts - 1) as retry_count,
  t.max_attempts - 1 as max_retries,
  t.created_at,
  t.queued_at,
  t.started_at,
  t.completed_at,
  round(t.duration_seconds * 1000)::bigint as duration_ms,
  t.external_id as queue_job_id
from tenuto.task_status t
join tenuto.orgs o on o.id = t.org_id
where t.org_id = (select tenuto_compat._org_id());

create or replace trigger starts_a_task
  instead of insert on tenuto_compat_foreman.task
  for each row execute function tenuto_compat_foreman._insert_task();

create or replace trigger cancels_a_task
  instead of update on tenuto_compat_foreman.task
  for each row execute function tenuto_compat._cancel_or_refuse(
    'task', 'cancelled', 'the worker that holds the task reports its end: tenuto.complete_tasks, tenuto.fail_tasks');

create or replace trigger deletes_nothing
  instead of delete on tenuto_compat_foreman.task
  for each row execute function tenuto_compat._refuse_write('call tenuto.delete_task');
