-- running -> retrying | failed (or cancelled, if the attempt was asked to stop). p_retries: null retries after the
-- backoff, a number retries after that many seconds, -1 does not retry. Errors over 1 MB are cut. Returns the same
-- results as complete_tasks, the maximum number of attempts of the task, and in how many seconds it is retried. This
-- number is null if the task is not retried, or if the session did not hold it.
create or replace function tenuto.fail_tasks(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_errors jsonb[],
  p_retries float8[] default null)
  returns table (task_id uuid, attempt int, result text, max_attempts int, retry_in_seconds float8)
  language plpgsql
as $$
declare
  v_ends tenuto.attempt_end[];
begin
  perform tenuto._check_fences(p_task_ids, p_attempts, cardinality(p_errors));
  perform tenuto._check_fences(p_task_ids, p_attempts, coalesce(cardinality(p_retries), cardinality(p_task_ids)));
  perform tenuto._check_seconds(p_retries);
  if pg_column_size(p_errors) > 1048576 then
    p_errors := array(
      select tenuto._cut_error(e.error) from unnest(p_errors) with ordinality e(error, no) order by e.no);
  end if;
  select array_agg((t, 'failure', coalesce(r.retry < 0, false),
                    case when r.retry >= 0 then r.retry end,
                    r.error)::tenuto.attempt_end)
  into v_ends
  from tenuto._take_running(p_session_id, p_token, p_task_ids, p_attempts) t
  join (
    select distinct on (f.id, f.attempt) f.*
    from unnest(p_task_ids, p_attempts, p_errors, p_retries) as f(id, attempt, error, retry)
    order by f.id, f.attempt) r on r.id = t.id and r.attempt = t.attempt;
  if v_ends is not null then
    perform tenuto._make_ready(
      tenuto._end_failed_attempts(v_ends, true),
      array(select (e.running).id from unnest(v_ends) e where tenuto._has_limits((e.running).flags)));
  end if;
  return query
  select *
  from tenuto._failure_results(p_session_id, p_token, p_task_ids, p_attempts,
    array(select (e.running).id from unnest(v_ends) e), 'failed');
end
$$;
