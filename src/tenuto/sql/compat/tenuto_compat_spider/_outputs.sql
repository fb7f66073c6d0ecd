-- Lists the outputs of completed tasks by position. An output is a value or a data object. A task that declared no
-- outputs has one output.
create or replace view tenuto_compat_spider._outputs
  with (security_invoker = true)
as
select a.task_id, t.run_id as job_id, coalesce(s.position, 0) as position, coalesce(s.type, 'json') as type, v.value,
       tenuto_compat_spider._object_id(v.value) as object_id
from tenuto.task_attempts a
join tenuto.tasks t on t.id = a.task_id
left join tenuto.task_slots s on s.task_id = a.task_id and s.direction = 'output'
cross join lateral (   -- several outputs are stored as one list
  select case when exists (
                select from tenuto.task_slots o
                where o.task_id = a.task_id and o.direction = 'output' and o.position > 0)
              then a.output -> s.position
              else a.output
         end as value
) v
where a.org_id = (select tenuto_compat._org_id())
  and a.end_no = 0
  and a.outcome = 'completed';
