-- Records that a try of a step failed. With p_retry_seconds, the step is tried again after that pause; otherwise the
-- failure is final. An existing record of a result, of a final failure, or of the same or a later try stays, so that
-- the call can be repeated. With p_kind 'child', records that the code handled the failure of children that this step
-- started: a retry of the run keeps these children as they ended. With p_kind 'signal', records that the value of the
-- received signal does not have the type that the task waits for.
create or replace function tenuto.fail_step(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_step_no int, p_name text, p_error jsonb,
  p_tries int, p_retry_seconds float8 default null, p_kind text default 'step')
  returns void
  language plpgsql
as $$
declare
  v_org_id uuid := (tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt)).org_id;
  v_step tenuto.task_steps;
begin
  perform tenuto._check_name('the name of a step', coalesce(p_name, ''));
  perform tenuto._check_size(format('the error of step %s', p_name), p_error);
  if jsonb_typeof(p_error) is distinct from 'object' then
    perform tenuto._raise('TN003', format('the error of step %s is not a JSON object', p_name),
      'write {"type": …, "message": …}');
  end if;
  if p_tries is null or p_tries not between 1 and 1000 then
    perform tenuto._raise('TN003', format('the number of tries of step %s is %L', p_name, p_tries), 'write 1 to 1000');
  end if;
  if p_retry_seconds < 0 or p_retry_seconds > 315360000 then   -- true for NaN and infinity too
    perform tenuto._raise('TN003', format('step %s cannot be tried again after %s s', p_name, p_retry_seconds),
      'write 0 to 315360000 seconds (10 years)');
  end if;

  if p_kind is null or p_kind not in ('step', 'child', 'signal') or (p_kind <> 'step' and p_retry_seconds is not null)
  then
    perform tenuto._raise('TN003', format('the failure of step %s of kind %L cannot be recorded', p_name, p_kind),
      'write the kind step, or one of the kinds child and signal without retry_seconds');
  end if;

  if p_kind <> 'step' then
    update tenuto.task_steps s
    set error = p_error
    where s.task_id = p_task_id
      and s.step_no = p_step_no
      and s.kind = p_kind
      and s.name = p_name
      and s.error is null;
    select * into v_step from tenuto.task_steps where task_id = p_task_id and step_no = p_step_no;
    if not found then
      perform tenuto._raise('TN001', format('task %s has no step %s', p_task_id, p_step_no),
        'start_children and take_signal record the steps of children and signals');
    end if;
    perform tenuto._check_same_step(v_step, p_name, p_kind);
    return;
  end if;

  insert into tenuto.task_steps as s
    (task_id, step_no, org_id, name, kind, error, tries, retry_at, attempt, created_at)
  values (p_task_id, p_step_no, v_org_id, p_name, 'step', p_error, p_tries,
          tenuto.now() + make_interval(secs => p_retry_seconds), p_attempt, tenuto.now())
  on conflict (task_id, step_no) do update
  set error      = excluded.error,
      tries      = excluded.tries,
      retry_at   = excluded.retry_at,
      attempt    = excluded.attempt,
      created_at = excluded.created_at
  where s.retry_at is not null
    and s.tries < excluded.tries;
  select * into strict v_step from tenuto.task_steps where task_id = p_task_id and step_no = p_step_no;
  perform tenuto._check_same_step(v_step, p_name, 'step');
end
$$;
