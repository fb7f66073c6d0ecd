-- Sets one key of the operator state of a running attempt's type or job (_state_owner), if the version of the key is
-- still p_version (0: the key does not exist yet). Returns the new version; a repeated call of the same attempt returns
-- the same version again. Raises the errors of put_state.
create or replace function tenuto.put_task_state(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_key text, p_value jsonb, p_version bigint)
  returns bigint
  language sql
as $$
  select tenuto.put_state(p_session_id, p_token, p_task_id, p_attempt, tenuto._state_owner(r), p_key, p_value,
    p_version)
  from tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt) r;
$$;
