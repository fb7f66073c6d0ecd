-- Lists the inputs of tasks by position. An input is a value or a data object. An input that comes from another task is
-- null until that task has completed. A task that was started with plain arguments has one input with all of them.
create or replace view tenuto_compat_spider._inputs
  with (security_invoker = true)
as
select s.task_id, t.run_id as job_id, s.position, s.type, v.value,
       coalesce(s.object_id, tenuto_compat_spider._object_id(v.value)) as object_id
from tenuto.task_slots s
join tenuto.tasks t on t.id = s.task_id
left join tenuto.task_attempts a on a.task_id = s.source_task_id and a.end_no = 0
cross join lateral (
  select case when s.source_task_id is null then s.value
              when s.source_position is null then a.output
              else a.output -> s.source_position
         end as value
) v
where s.org_id = (select tenuto_compat._org_id())
  and s.direction = 'input'
union all
select t.id, t.run_id, 0, 'json', t.input, tenuto_compat_spider._object_id(t.input)
from tenuto.tasks t
where t.org_id = (select tenuto_compat._org_id())
  and not t.has_slots
  and t.input is not null;
