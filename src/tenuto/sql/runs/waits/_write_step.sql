-- Records a step once and returns the record. The first record under a step number stays, unless it is a failure that
-- is still to be retried. Raises TN004 for another name or kind under the same number: the code took another path on
-- replay.
create or replace function tenuto._write_step(
  p_task_id uuid, p_attempt int, p_org_id uuid, p_step_no int, p_name text, p_kind text, p_value jsonb)
  returns tenuto.task_steps
  language plpgsql
as $$
declare
  v_step tenuto.task_steps;
begin
  perform tenuto._check_name('the name of a step', p_name);
  if p_kind <> 'child' then   -- the ids of 100,000 children have more than 1 MB
    perform tenuto._check_size(format('the value of step %s', p_name), p_value);
  end if;
  insert into tenuto.task_steps as s (task_id, step_no, org_id, name, kind, value, attempt, created_at)
  values (p_task_id, p_step_no, p_org_id, coalesce(p_name, p_kind), p_kind, p_value, p_attempt, tenuto.now())
  on conflict (task_id, step_no) do update
  set value      = excluded.value,
      error      = null,
      retry_at   = null,
      tries      = s.tries + 1,
      attempt    = excluded.attempt,
      created_at = excluded.created_at
  where s.retry_at is not null;
  select * into strict v_step from tenuto.task_steps where task_id = p_task_id and step_no = p_step_no;
  perform tenuto._check_same_step(v_step, p_name, p_kind);
  return v_step;
end
$$;
