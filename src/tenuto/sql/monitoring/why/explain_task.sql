-- Returns in one sentence why a task does not run, where it runs, or how it ended. If a task that has not ended is the
-- task of a single-task run (both have the same id) and the run has a deadline, adds when the run will be cancelled.
create or replace function tenuto.explain_task(p_org_id uuid, p_task_id uuid)
  returns text
  language plpgsql
  stable
as $$
declare
  v_task tenuto.task_status := tenuto.get_task(p_org_id, p_task_id);
  v_what text := coalesce(v_task.name, v_task.type);
  v_parked text := tenuto._format_parked(p_org_id, v_task.run_id, p_task_id);
  v_limits text := tenuto._format_deadlines(p_task_id, v_task.attempt > 0);
  v_tries text := format('attempt %s of %s', v_task.attempt, v_task.max_attempts);
begin
  if v_task.status = 'running' then
    return format('%s is running: on worker %s since %s, %s', v_what, coalesce(v_task.worker_id, '(gone)'),
                  tenuto._format_time((select r.started_at from tenuto.running_tasks r where r.id = p_task_id)),
                  v_tries)
           || case when v_task.cancel_requested then '; its cancellation was requested' else '' end
           || tenuto._why_silent(p_task_id)
           || v_limits || v_parked;
  elsif v_task.completed_at is not null then
    return format('%s %s at %s',
                  v_what,
                  case v_task.status
                    when 'cancelled' then 'was cancelled'
                    when 'skipped' then 'was skipped'
                    else v_task.status
                  end,
                  tenuto._format_time(v_task.completed_at))
           || case v_task.status
                when 'failed' then format(', %s: %s', v_tries, tenuto._format_error(v_task.error))
                when 'cancelled' then coalesce(': ' || tenuto._reason_of_cancel(v_task.error), '')
                when 'skipped' then ': a task that it depends on had another outcome'
                else ''
              end;
  end if;
  return coalesce(
    (select format('%s is %s: %s', v_what, w.status, w.reason)
     from tenuto.why_not_running w
     where w.task_id = p_task_id),
    format('%s is changing its state now; ask again', v_what)) || v_limits || v_parked
    || case when tenuto._copy_problem() is not null
            then '; nothing runs on this copy of a database until `tenuto db adopt`' else '' end;
end
$$;
