-- Returns true if a run can complete although this task failed: it is optional, or only `continue` edges leave it.
create or replace function tenuto._failure_is_tolerated(p_task_id uuid)
  returns boolean
  language sql
  stable
as $$
  select t.optional
         or coalesce(
           (select bool_and(d.runs_on = 'continue') from tenuto.task_dependencies d where d.parent_id = p_task_id),
           false)
  from tenuto.tasks t
  where t.id = p_task_id;
$$;
