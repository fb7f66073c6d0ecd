-- Gives the task of a running attempt a reference to an object that the attempt has just stored with put_object. Raises
-- TN005 for a worker that no longer holds the task. The caller stores the object in the same transaction, so the error
-- also rolls back the object.
create or replace function tenuto.keep_object(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_object_id uuid)
  returns void
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks := tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt);
begin
  perform tenuto._reference_object(v_running.org_id, p_object_id, 'task', p_task_id);
end
$$;
