-- Finds the session that holds the attempt of a task token. Returns the token of this session, and whether the attempt
-- should stop. Raises TN005 if the session no longer holds the attempt. If p_held is false, the session need not hold
-- the attempt any more: so a report that is sent again after it was accepted gets the same result. The task tokens of a
-- worker key that was revoked or has expired are no longer valid: they raise TN005 too.
create or replace function tenuto.find_fence(
  p_org_id uuid, p_task_id uuid, p_attempt int, p_session_id bigint, p_held boolean default true,
  out token uuid, out cancelled boolean)
  language plpgsql
  stable
as $$
declare
  v_held boolean;
begin
  select s.token, r.id is not null, coalesce(r.cancel, false)
  into token, v_held, cancelled
  from tenuto.sessions s
  left join tenuto.running_tasks r on r.id = p_task_id and r.attempt = p_attempt and r.session_id = s.id
  where s.id = p_session_id
    and s.org_id = p_org_id
    and (s.worker_key_id is null or exists (
      select from tenuto.worker_keys k
      where k.id = s.worker_key_id and k.revoked_at is null and coalesce(k.expires_at, 'infinity') > tenuto.now()));
  if not found or (p_held and not v_held) then
    perform tenuto._raise('TN005', format('attempt %s of task %s is no longer held', p_attempt, p_task_id),
      'stop working on it: another worker has it, or it has ended');
  end if;
end
$$;
