-- Returns true if a run can complete although this task failed: the task is optional, or it has dependents and all of
-- them run after a failure too (`continue`).
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
