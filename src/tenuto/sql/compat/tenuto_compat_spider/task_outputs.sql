-- Shows outputs of tasks by position as the table `task_outputs` of Spider does.
create or replace view tenuto_compat_spider.task_outputs
  with (security_invoker = true)
as
select
  i.task_id,
  i.position,
  case when i.object_id is null then 'VALUE' else 'DATA' end as type,
  case when i.object_id is null and i.value is not null
       then tenuto_compat_spider._value_id(i.task_id, 'output', i.position)
  end as value_id,
  i.object_id as data_id
from tenuto_compat_spider._outputs i;

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_spider.task_outputs
  for each row execute function tenuto_compat._refuse_write('the completion of a task stores its outputs');
