-- Shows tasks of jobs as the table `tasks` of Trace does. A task that waits for a retry is Failed and has a
-- next_retry_at. lease_token is always null, because only the worker that holds a task knows its token. dedupe_key
-- shows only keys that users set, not keys that were made for a partition, a fire time or a request. An update of the
-- status to Canceled cancels the task.
create or replace view tenuto_compat_trace.tasks
  with (security_invoker = true)
as
select
  t.id,
  j.id as job_id,
  (select k.key
   from tenuto.dedupe_keys k
   where k.run_id = t.run_id and k.scope = w.job_key::text and t.input #>> '{job,source}' is null
   limit 1) as dedupe_key,
  case t.status
    when 'running' then 'Running'
    when 'waiting' then 'Running'
    when 'completed' then 'Completed'
    when 'failed' then 'Failed'
    when 'retrying' then 'Failed'
    when 'cancelled' then 'Canceled'
    when 'skipped' then 'Canceled'
    else 'Queued'
  end as status,
  greatest(t.attempt, 1) as attempt,
  t.partitions,
  t.input_versions,
  t.worker_id,
  null::uuid as lease_token,
  t.lease_expires_at,
  t.last_heartbeat,
  t.started_at,
  t.completed_at,
  t.next_retry_at,
  case when jsonb_typeof(t.error) = 'object'
       then coalesce(t.error ->> 'message', t.error ->> 'reason', t.error::text)
       else t.error #>> '{}'
  end as error_message,
  t.output as outputs,
  t.created_at
from tenuto.job_tasks w
join tenuto.task_status t on t.id = w.task_id
join tenuto.jobs j on j.org_id = w.org_id and j.dag_version_id = w.dag_version_id and j.job_key = w.job_key
where w.org_id = (select tenuto_compat._org_id());

create or replace trigger cancels_a_task
  instead of update on tenuto_compat_trace.tasks
  for each row execute function tenuto_compat._cancel_or_refuse(
    'task', 'Canceled', 'the worker that holds the task reports its end');

create or replace trigger refuses_writes
  instead of insert or delete on tenuto_compat_trace.tasks
  for each row execute function tenuto_compat._refuse_write('call tenuto.trigger_job');
