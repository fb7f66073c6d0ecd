-- Returns the running row of an attempt without a lock, for calls that only read. Raises TN005 if the session does not
-- hold the attempt.
create or replace function tenuto._find_attempt(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int)
  returns tenuto.running_tasks
  language plpgsql
  stable
as $$
declare
  v_running tenuto.running_tasks;
begin
  select r.* into v_running
  from tenuto.running_tasks r
  where r.id = p_task_id
    and r.attempt = p_attempt
    and r.session_id = p_session_id
    and tenuto._session_exists(p_session_id, p_token);
  if not found then
    perform tenuto._raise('TN005',
      format('attempt %s of task %s is not held by session %s', p_attempt, p_task_id, p_session_id),
      'stop working on it: another worker has it, or it has ended');
  end if;
  return v_running;
end
$$;
