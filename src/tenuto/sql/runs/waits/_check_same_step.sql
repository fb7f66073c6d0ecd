-- Raises TN004 if the recorded step has another name or kind: the code took another path on replay.
create or replace function tenuto._check_same_step(p_step tenuto.task_steps, p_name text, p_kind text)
  returns void
  language plpgsql
as $$
begin
  if p_step.kind <> p_kind or p_step.name <> coalesce(p_name, p_kind) then
    perform tenuto._raise('TN004',
      format('step %s of task %s was %s %s and is now %s %s',
        p_step.step_no, p_step.task_id, p_step.kind, p_step.name, p_kind, p_name),
      'a task must run the same steps and waits in the same order on every attempt');
  end if;
end
$$;
