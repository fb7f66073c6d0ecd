-- Returns one result for each failed or lost attempt in p_task_ids, in this order. Each result has the task's maximum
-- number of attempts, and the seconds until the next attempt (null if there is no next attempt). Both are null if the
-- result is stale_lease.
create or replace function tenuto._failure_results(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_accepted uuid[], p_end text)
  returns table (task_id uuid, attempt int, result text, max_attempts int, retry_in_seconds float8)
  language sql
as $$
  select a.task_id, a.attempt, a.result,
         (select t.max_attempts::int from tenuto.tasks t where t.id = a.task_id and a.result <> 'stale_lease'),
         (select extract(epoch from d.available_at - tenuto.now())::float8 from tenuto.delayed_tasks d
          where d.id = a.task_id and d.attempt = a.attempt and d.reason = 'retry' and a.result <> 'stale_lease')
  from tenuto._report_results(p_session_id, p_token, p_task_ids, p_attempts, p_accepted, p_end) a;
$$;
