-- Takes the oldest signal with the name p_name that was sent to the run and that no task has taken yet. Records the
-- signal as a step of the task, so that a replay returns the same value. Returns found = false if there is no such
-- signal.
create or replace function tenuto.take_signal(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_step_no int, p_name text)
  returns table (found boolean, value jsonb)
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks := tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt);
  v_signal tenuto.signals;
begin
  if exists (select from tenuto.task_steps s where s.task_id = p_task_id and s.step_no = p_step_no) then
    return query
    select true, (tenuto._write_step(p_task_id, p_attempt, v_running.org_id, p_step_no, p_name, 'signal', null)).value;
    return;
  end if;

  update tenuto.signals s
  set taken_by = p_task_id, taken_at = tenuto.now()
  where s.id = (
      select o.id from tenuto.signals o
      where o.run_id = v_running.run_id and o.name = p_name and o.taken_by is null
      order by o.id limit 1
      for update skip locked)
    and s.taken_by is null
  returning s.* into v_signal;
  if v_signal.id is null then
    return query select false, null::jsonb;
    return;
  end if;
  perform tenuto._write_step(p_task_id, p_attempt, v_running.org_id, p_step_no, p_name, 'signal', v_signal.value);
  return query select true, v_signal.value;
end
$$;
