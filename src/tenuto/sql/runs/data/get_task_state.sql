-- Returns the operator state of a running attempt's type or job (_state_owner): one key, or all. Raises TN005 if the
-- attempt is lost.
create or replace function tenuto.get_task_state(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_key text default null)
  returns table (key text, value jsonb, version bigint, updated_at timestamptz)
  language plpgsql
  stable
as $$
declare
  v_running tenuto.running_tasks;
begin
  select r.* into v_running
  from tenuto.running_tasks r
  where r.id = p_task_id
    and r.attempt = p_attempt
    and r.session_id = p_session_id
    and tenuto._session_exists(p_session_id, p_token);
  if not found then
    perform tenuto._raise('TN005',
      format('attempt %s of task %s is not held by session %s', p_attempt, p_task_id, p_session_id),
      'stop working on it: another worker has it, or it has ended');
  end if;
  return query select s.* from tenuto.get_state(v_running.org_id, tenuto._state_owner(v_running), p_key) s;
end
$$;
