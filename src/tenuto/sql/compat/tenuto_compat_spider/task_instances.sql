-- Shows attempts as the table `task_instances` of Spider does.
create or replace view tenuto_compat_spider.task_instances
  with (security_invoker = true)
as
select tenuto_compat_spider._instance_id(i.task_id, i.attempt) as id, i.task_id, i.started_at as start_time
from (
  select a.task_id, a.attempt, a.started_at, a.org_id from tenuto.task_attempts a where a.started_at is not null
  union all
  select r.id, r.attempt, r.started_at, r.org_id from tenuto.running_tasks r
) i
where i.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_spider.task_instances
  for each row execute function tenuto_compat._refuse_write('claim tasks');
