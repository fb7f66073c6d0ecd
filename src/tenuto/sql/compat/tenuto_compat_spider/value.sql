-- Shows values as the table `value` of Spider does: inputs and outputs of tasks, as the bytes of their JSON.
create or replace view tenuto_compat_spider.value
  with (security_invoker = true)
as
select tenuto_compat_spider._value_id(v.task_id, v.direction, v.position) as id, v.job_id,
       convert_to(v.type, 'UTF8') as type, convert_to(v.value::text, 'UTF8') as payload
from (
  select i.task_id, i.job_id, 'input' as direction, i.position, i.type, i.value, i.object_id
  from tenuto_compat_spider._inputs i
  union all
  select o.task_id, o.job_id, 'output', o.position, o.type, o.value, o.object_id
  from tenuto_compat_spider._outputs o
) v
where v.value is not null
  and v.object_id is null;

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_spider.value
  for each row execute function tenuto_compat._refuse_write('pass values to tn.start, return them from tasks');
