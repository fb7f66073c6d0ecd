-- Shows tasks that depend on no other task, by position, as the table `input_tasks` of Spider does.
create or replace view tenuto_compat_spider.input_tasks
  with (security_invoker = true)
as
select
  t.run_id as job_id,
  t.id as task_id,
  (row_number() over (partition by t.run_id order by t.place, t.id))::int - 1 as position
from tenuto.tasks t
where t.org_id = (select tenuto_compat._org_id())
  and t.parent_id is null
  and t.handler is null
  and t.run_attempt = 1
  and not exists (select from tenuto.task_dependencies d where d.child_id = t.id);

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_spider.input_tasks
  for each row execute function tenuto_compat._refuse_write('start graphs with tn.start or tenuto.start_run');
