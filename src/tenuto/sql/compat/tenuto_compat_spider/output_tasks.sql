-- Shows tasks whose outputs are the outputs of their run, by position, as the table `output_tasks` of Spider does.
-- These are the tasks that the start declared, or else the tasks without dependents.
create or replace view tenuto_compat_spider.output_tasks
  with (security_invoker = true)
as
select s.run_id as job_id, s.source_task_id as task_id, min(s.position) as position
from tenuto.run_slots s
where s.org_id = (select tenuto_compat._org_id())
group by 1, 2
union all
select
  t.run_id,
  t.id,
  (row_number() over (partition by t.run_id order by t.place, t.id))::int - 1
from tenuto.tasks t
where t.org_id = (select tenuto_compat._org_id())
  and t.parent_id is null
  and t.handler is null
  and t.run_attempt = 1
  and not exists (select from tenuto.task_dependencies d where d.parent_id = t.id)
  and not exists (select from tenuto.run_slots s where s.run_id = t.run_id);

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_spider.output_tasks
  for each row execute function tenuto_compat._refuse_write('start graphs with tn.start or tenuto.start_run');
