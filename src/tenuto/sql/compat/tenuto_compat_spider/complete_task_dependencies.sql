-- Shows dependencies whose parent has completed, as the table `complete_task_dependencies` of Spider does.
create or replace view tenuto_compat_spider.complete_task_dependencies
  with (security_invoker = true)
as
select d.parent_id as parent, d.child_id as child
from tenuto.task_dependencies d
join tenuto.task_attempts a on a.task_id = d.parent_id and a.end_no = 0 and a.outcome = 'completed'
where d.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_spider.complete_task_dependencies
  for each row execute function tenuto_compat._refuse_write('the completion of the parent records it');
