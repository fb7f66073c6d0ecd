-- Returns the steps that the attempts of a task have recorded so far, in order.
create or replace function tenuto.get_steps(p_org_id uuid, p_task_id uuid)
  returns setof tenuto.task_steps
  language sql
  stable
as $$
  select s.* from tenuto.task_steps s where s.task_id = p_task_id and s.org_id = p_org_id order by s.step_no;
$$;
