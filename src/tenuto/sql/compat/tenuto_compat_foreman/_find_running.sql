-- Returns the fence of the attempt of a task that is running in a run. Raises TN004 if the task is not running there.
create or replace function tenuto_compat_foreman._find_running(
  p_org_id uuid, p_run_id uuid, p_task_id uuid, out session_id bigint, out token uuid, out attempt int)
  language plpgsql
  stable
as $$
begin
  select r.session_id, s.token, r.attempt
  into session_id, token, attempt
  from tenuto.running_tasks r
  join tenuto.sessions s on s.id = r.session_id
  where r.id = p_task_id
    and r.org_id = p_org_id
    and r.run_id = p_run_id;
  if not found then
    perform tenuto._raise('TN004', format('task %s is not running in run %s', p_task_id, p_run_id),
      'only a running task can own children and run data: leave out its id, or insert the row while the task runs');
  end if;
end
$$;
