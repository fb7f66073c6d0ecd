-- Returns the operator state of a running attempt's type or job (_state_owner): one key, or all keys. Raises TN005 if
-- the session does not hold the attempt.
create or replace function tenuto.get_task_state(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_key text default null)
  returns table (key text, value jsonb, version bigint, updated_at timestamptz)
  language plpgsql
  stable
as $$
declare
  v_running tenuto.running_tasks := tenuto._find_attempt(p_session_id, p_token, p_task_id, p_attempt);
begin
  return query select s.* from tenuto.get_state(v_running.org_id, tenuto._state_owner(v_running), p_key) s;
end
$$;
