-- Returns the inputs of the job of a running task, as they were pinned before the task started, and the DAG version.
-- For the code of a bundle, returns the inputs of the job that runs it. For a task that belongs to no job, returns no
-- row. Raises TN005 for a worker that no longer holds the task.
create or replace function tenuto.get_job_inputs(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int)
  returns table (dag text, dag_version int, inputs jsonb)
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks := tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt);
begin
  return query
  select f.job ->> 'dag', (f.job ->> 'version')::int, coalesce(nullif(f.job -> 'inputs', 'null'), '[]')
  from tenuto._find_job_task(v_running) f;
end
$$;
