-- running -> retrying | failed (or cancelled, if the attempt was asked to stop): the worker is alive, but the process
-- or thread of the attempt died or does not stop. Counts as a loss, as if the worker had died. The error is stored with
-- the reason attempt_lost. Returns the same results as fail_tasks.
create or replace function tenuto.lose_tasks(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_errors jsonb[])
  returns table (task_id uuid, attempt int, result text, max_attempts int, retry_in_seconds float8)
  language plpgsql
as $$
declare
  v_ends tenuto.attempt_end[];
begin
  perform tenuto._check_fences(p_task_ids, p_attempts, cardinality(p_errors));
  if pg_column_size(p_errors) > 1048576 then
    p_errors := array(
      select tenuto._cut_error(e.error) from unnest(p_errors) with ordinality e(error, no) order by e.no);
  end if;
  select array_agg((t, 'loss', false, null,
                    case when jsonb_typeof(r.error) = 'object' then r.error
                         else jsonb_strip_nulls(jsonb_build_object('message', r.error)) end
                    || '{"reason": "attempt_lost"}')::tenuto.attempt_end)
  into v_ends
  from tenuto._take_running(p_session_id, p_token, p_task_ids, p_attempts) t
  join (
    select distinct on (f.id, f.attempt) f.*
    from unnest(p_task_ids, p_attempts, p_errors) as f(id, attempt, error)
    order by f.id, f.attempt) r on r.id = t.id and r.attempt = t.attempt;
  if v_ends is not null then
    perform tenuto._make_ready(
      tenuto._end_failed_attempts(v_ends, true),
      array(select (e.running).id from unnest(v_ends) e where tenuto._has_limits((e.running).flags)));
  end if;
  return query
  select *
  from tenuto._failure_results(p_session_id, p_token, p_task_ids, p_attempts,
    array(select (e.running).id from unnest(v_ends) e), 'lost');
end
$$;
