-- Shows dependencies between tasks as the table `task_dependencies` of Spider does. position: which input of the child
-- gets the output of the parent; 0 for a dependency that only sets an order.
create or replace view tenuto_compat_spider.task_dependencies
  with (security_invoker = true)
as
select d.parent_id as parent, d.child_id as child, coalesce(s.position, 0) as position
from tenuto.task_dependencies d
left join tenuto.task_slots s on s.task_id = d.child_id and s.direction = 'input' and s.source_task_id = d.parent_id
where d.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_spider.task_dependencies
  for each row execute function tenuto_compat._refuse_write('start graphs with tn.start or tenuto.start_run');
