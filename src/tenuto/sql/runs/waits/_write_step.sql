-- Records a step, once, and returns the record: the first record of a number stays. Another name or kind under the same
-- number raises TN004: the function took another path on replay.
create or replace function tenuto._write_step(
  p_task_id uuid, p_attempt int, p_org_id uuid, p_step_no int, p_name text, p_kind text, p_value jsonb)
  returns tenuto.task_steps
  language plpgsql
as $$
declare
  v_step tenuto.task_steps;
begin
  perform tenuto._check_name('the name of a step', p_name);
  if p_kind <> 'child' then   -- the ids of 100,000 children need more
    perform tenuto._check_size(format('the value of step %s', p_name), p_value);
  end if;
  insert into tenuto.task_steps (task_id, step_no, org_id, name, kind, value, attempt, created_at)
  values (p_task_id, p_step_no, p_org_id, coalesce(p_name, p_kind), p_kind, p_value, p_attempt, tenuto.now())
  on conflict do nothing;
  select * into strict v_step from tenuto.task_steps where task_id = p_task_id and step_no = p_step_no;
  if v_step.kind <> p_kind or v_step.name <> coalesce(p_name, p_kind) then
    perform tenuto._raise('TN004',
      format('step %s of task %s was %s %s and is now %s %s',
        p_step_no, p_task_id, v_step.kind, v_step.name, p_kind, p_name),
      'a task must run the same steps and waits in the same order on every attempt');
  end if;
  return v_step;
end
$$;
