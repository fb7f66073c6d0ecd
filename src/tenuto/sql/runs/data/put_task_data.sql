-- Appends values to the run's data from a running attempt, and returns the ids of the values. Raises TN005 for a worker
-- that no longer holds the task. p_metadata: a JSON object that is stored with each of the values.
create or replace function tenuto.put_task_data(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_values jsonb, p_tags text[] default '{}',
  p_metadata jsonb default null)
  returns uuid[]
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks := tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt);
begin
  return tenuto._write_run_data(v_running.org_id, v_running.run_id, p_task_id, p_attempt, p_values, p_tags,
    p_metadata);
end
$$;
