-- Returns true if a task has not ended.
create or replace function tenuto._is_open(p_task_id uuid)
  returns boolean
  language sql
  stable
as $$
  select exists (select from tenuto.running_tasks where id = p_task_id)
      or exists (select from tenuto.ready_tasks where id = p_task_id)
      or exists (select from tenuto.delayed_tasks where id = p_task_id)
      or exists (select from tenuto.waiting_tasks where id = p_task_id)
      or exists (select from tenuto.pending_tasks where id = p_task_id);
$$;
