-- Shows tasks as the table `tasks` of Spider does. instance_id is the attempt whose result was accepted. An update of
-- the state to CANCELLED cancels the task.
create or replace view tenuto_compat_spider.tasks
  with (security_invoker = true)
as
select
  t.id,
  t.run_id as job_id,
  t.type as func_name,
  upper(t.language) as language,
  case t.status
    when 'pending' then 'PENDING'
    when 'queued' then 'READY'
    when 'retrying' then 'READY'
    when 'completed' then 'SUCCEEDED'
    when 'failed' then 'FAILED'
    when 'cancelled' then 'CANCELLED'
    when 'skipped' then 'CANCELLED'
    else 'RUNNING'
  end as state,
  p.parents as num_parents,
  p.succeeded as num_succeeded_parents,
  t.timeout_seconds as timeout,
  t.max_attempts - 1 as max_num_retries,
  least(t.failures + t.losses, t.max_attempts - 1) as num_retries,
  case when t.status = 'completed' then tenuto_compat_spider._instance_id(t.id, f.attempt) end as instance_id
from tenuto.task_status t
left join tenuto.task_attempts f on f.task_id = t.id and f.end_no = 0
cross join lateral (
  select count(*)::int as parents, count(*) filter (where a.outcome = 'completed')::int as succeeded
  from tenuto.task_dependencies d
  left join tenuto.task_attempts a on a.task_id = d.parent_id and a.end_no = 0
  where d.child_id = t.id
) p
where t.org_id = (select tenuto_compat._org_id());

create or replace trigger cancels_a_task
  instead of update on tenuto_compat_spider.tasks
  for each row execute function tenuto_compat._cancel_or_refuse(
    'task', 'CANCELLED', 'the worker that holds the task reports its end');

create or replace trigger refuses_writes
  instead of insert or delete on tenuto_compat_spider.tasks
  for each row execute function tenuto_compat._refuse_write('start tasks with tn.start or tenuto.start_run');
