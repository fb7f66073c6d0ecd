-- Records the result of a step of a running attempt. Returns the recorded value: if an earlier attempt has recorded a
-- value, that value stays. Raises TN005 if the session does not hold the attempt.
create or replace function tenuto.record_step(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_step_no int, p_name text, p_kind text,
  p_value jsonb)
  returns jsonb
  language plpgsql
as $$
declare
  v_org_id uuid := (tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt)).org_id;
begin
  if p_kind is null or p_kind not in ('step', 'sleep', 'signal', 'patch') then
    perform tenuto._raise('TN003', format('%L is not a kind of step that can be recorded', p_kind),
      'write step, sleep, signal or patch; start_children records the children that it starts');
  elsif (p_kind = 'patch') <> (p_step_no < 0) then
    perform tenuto._raise('TN003', format('step %s cannot be a %s', p_step_no, p_kind),
      'number patches -1, -2, … and everything else 1, 2, …');
  end if;
  return (tenuto._write_step(p_task_id, p_attempt, v_org_id, p_step_no, p_name, p_kind, p_value)).value;
end
$$;
