-- running -> queued, at its old position in the lane: the worker stops before the task has ended. The attempt does not
-- count against max_attempts. Returns the same results as complete_tasks.
create or replace function tenuto.interrupt_tasks(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[])
  returns table (task_id uuid, attempt int, result text)
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks[];
begin
  perform tenuto._check_fences(p_task_ids, p_attempts, cardinality(p_task_ids));
  v_running := array(select t from tenuto._take_running(p_session_id, p_token, p_task_ids, p_attempts) t);
  if cardinality(v_running) > 0 then
    perform tenuto._release_attempts(v_running, 'interrupted', true);
  end if;
  return query
  select *
  from tenuto._report_results(p_session_id, p_token, p_task_ids, p_attempts,
    array(select r.id from unnest(v_running) r), 'interrupted');
end
$$;
