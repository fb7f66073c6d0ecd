-- running -> queued | retrying | failed, or cancelled if the attempt was asked to stop. The task is queued again at
-- once, unless it has used all of its attempts (3 if it was inserted into `tasks`) or has a backoff of its own.
-- worker_id_param: as in func_mark_task_complete. A completed task stays completed: a late failure raises TN004.
create or replace function tenuto_compat.func_mark_task_failed(
  task_id_param uuid, error_message_param text default null, worker_id_param text default null)
  returns void
  language plpgsql
as $$
declare
  v_attempt record := tenuto_compat._find_attempt(task_id_param, worker_id_param);
begin
  if v_attempt.status = 'running' then
    if (select f.result
        from tenuto.fail_tasks(v_attempt.session_id, v_attempt.token, array[task_id_param], array[v_attempt.attempt],
          array[jsonb_build_object('message', coalesce(error_message_param, 'unknown error'))]) f) = 'stale_lease' then
      perform tenuto._raise('TN005', format('task %s was given back before its failure was reported', task_id_param),
        'claim a task again');
    end if;
    perform tenuto.promote_due(1, array[task_id_param::text]);
  elsif v_attempt.status not in ('failed', 'cancelled') then
    perform tenuto._raise('TN004', format('task %s is already %s', task_id_param, v_attempt.status),
      'a late failure does not reopen a task; start another one');
  end if;
end
$$;
