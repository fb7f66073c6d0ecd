-- running -> completed, with the result of the task. worker_id_param must be the worker that holds the task. Without
-- worker_id_param, the call is accepted only if just one worker has ever claimed the task. The worker can repeat the
-- call.
create or replace function tenuto_compat.func_mark_task_complete(
  task_id_param uuid, result_data_param jsonb default null, worker_id_param text default null)
  returns void
  language plpgsql
as $$
declare
  v_attempt record := tenuto_compat._find_attempt(task_id_param, worker_id_param);
begin
  if v_attempt.status = 'running' then
    if (select c.result
        from tenuto.complete_tasks(v_attempt.session_id, v_attempt.token, array[task_id_param],
          array[v_attempt.attempt], array[result_data_param]) c) = 'stale_lease' then
      perform tenuto._raise('TN005', format('task %s was given back before its result was reported', task_id_param),
        'claim a task again');
    end if;
  elsif v_attempt.status <> 'completed' then
    perform tenuto._raise('TN004', format('task %s is already %s', task_id_param, v_attempt.status));
  end if;
end
$$;
