-- Returns the attempt that a report without a fence is about: the running attempt, or else the final one. Raises TN005
-- if there is neither, or if p_worker_id is not the worker of this attempt. A report without a worker id is accepted
-- while only one worker has claimed the task. Once another worker has claimed it, raises TN005, because the report
-- could come from the wrong worker.
create or replace function tenuto_compat._find_attempt(
  p_task_id uuid, p_worker_id text, out session_id bigint, out token uuid, out attempt int, out status text)
  language plpgsql
  stable
as $$
declare
  v_worker_id text;
  v_claimants text[];
begin
  if p_task_id is null then
    perform tenuto._raise('TN003', 'task_id_param is null', 'pass the id of the task that was claimed');
  elsif not exists (select from tenuto.tasks t where t.id = p_task_id and t.org_id = tenuto_compat._org_id()) then
    perform tenuto._raise('TN001', format('no task %s', p_task_id));
  end if;
  select c.session_id, s.token, c.attempt, c.status, s.worker_id
  into session_id, token, attempt, status, v_worker_id
  from (
    select r.session_id, r.attempt, 'running' as status from tenuto.running_tasks r where r.id = p_task_id
    union all
    select a.session_id, a.attempt, a.outcome from tenuto.task_attempts a where a.task_id = p_task_id and a.end_no = 0
  ) c
  left join tenuto.sessions s on s.id = c.session_id;
  if not found then
    perform tenuto._raise('TN005',
      format('task %s is not running: it was not claimed, or it was given back', p_task_id),
      'claim a task again; the result of the lost attempt cannot be stored');
  end if;

  v_claimants := array(
    select distinct coalesce(s.worker_id, 'session ' || c.session_id)
    from (
      select a.session_id from tenuto.task_attempts a where a.task_id = p_task_id and a.session_id is not null
      union
      select _find_attempt.session_id where _find_attempt.session_id is not null
    ) c
    left join tenuto.sessions s on s.id = c.session_id
    order by 1);
  if p_worker_id is null and cardinality(v_claimants) > 1 then
    perform tenuto._raise('TN005',
      format('several workers have claimed task %s: %s', p_task_id, array_to_string(v_claimants[:10], ', ')),
      'pass worker_id_param, so that only the worker that holds the task can end it');
  elsif p_worker_id <> coalesce(v_worker_id, '') then
    perform tenuto._raise('TN005', format('worker %s does not hold task %s', left(p_worker_id, 256), p_task_id),
      'stop working on it; the worker that holds it reports its end');
  end if;
end
$$;
