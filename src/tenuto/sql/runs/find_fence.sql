-- What stands behind a capability token: the token of the session that holds the attempt, and whether it should stop. An
-- attempt that was taken back or has ended is TN005; without p_held it is enough that the session was there, so that who
-- repeats an accepted end gets its answer again.
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
    and s.org_id = p_org_id;
  if not found or (p_held and not v_held) then
    perform tenuto._raise('TN005', format('attempt %s of task %s is not held any more', p_attempt, p_task_id),
      'stop working on it: another worker has it, or it has ended');
  end if;
end
$$;
