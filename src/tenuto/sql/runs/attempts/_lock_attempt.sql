-- Locks and returns the running row of an attempt, so that the attempt cannot be lost while the caller writes on its
-- behalf. Raises TN005 if the session does not hold the attempt. With p_open, raises TN006 if the attempt was asked to
-- stop: this is for calls that a stopping task must not begin.
create or replace function tenuto._lock_attempt(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_open boolean default false)
  returns tenuto.running_tasks
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks;
begin
  perform tenuto._require_read_committed();
  select r.* into v_running
  from tenuto.running_tasks r
  where r.id = p_task_id
    and r.attempt = p_attempt
    and r.session_id = p_session_id
    and tenuto._session_exists(p_session_id, p_token)
  for no key update;
  if not found then
    perform tenuto._raise('TN005',
      format('attempt %s of task %s is not held by session %s', p_attempt, p_task_id, p_session_id),
      'stop working on it: another worker has it, or it has ended');
  elsif p_open and v_running.cancel then
    perform tenuto._raise('TN006', format('task %s was cancelled', p_task_id));
  end if;
  return v_running;
end
$$;
