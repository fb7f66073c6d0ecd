-- Shows tasks as the table `tasks` of Headless-WGP does. An insert starts a task; an update of the status to Cancelled
-- cancels the task. `attempts` counts failures and losses; error_message is the error of the last attempt.
create or replace view tenuto_compat_wgp.tasks
  with (security_invoker = true)
as
select
  t.id,
  tenuto_compat_wgp._task_status(t.status) as status,
  t.type as task_type,
  coalesce(t.input, '{}') as params,
  t.failures + t.losses as attempts,
  coalesce(t.worker_id, case when t.completed_at is not null then s.worker_id end) as worker_id,
  coalesce(u.started_at, case when t.completed_at is not null then a.started_at end) as generation_started_at,
  a.ended_at as generation_processed_at,
  case when jsonb_typeof(a.error) = 'object'
       then coalesce(a.error ->> 'message', a.error ->> 'reason', a.error::text)
       else a.error #>> '{}'
  end as error_message,
  t.output as result_data,
  t.created_at,
  greatest(t.created_at, t.queued_at, u.started_at, a.ended_at) as updated_at
from tenuto.task_status t
left join tenuto.running_tasks u on u.id = t.id
left join lateral (   -- the last attempt that has ended
  select e.session_id, e.started_at, e.ended_at, e.error
  from tenuto.task_attempts e
  where e.task_id = t.id
  order by e.attempt desc, e.end_no
  limit 1
) a on true
left join tenuto.sessions s on s.id = a.session_id
where t.org_id = (select tenuto_compat._org_id());

create or replace trigger starts_a_task
  instead of insert on tenuto_compat_wgp.tasks
  for each row execute function tenuto_compat_wgp._insert_task();

create or replace trigger cancels_a_task
  instead of update on tenuto_compat_wgp.tasks
  for each row execute function tenuto_compat._cancel_or_refuse(
    'task', 'Cancelled', 'workers call func_mark_task_complete or func_mark_task_failed');

create or replace trigger deletes_nothing
  instead of delete on tenuto_compat_wgp.tasks
  for each row execute function tenuto_compat._refuse_write('call tenuto.delete_run');
