-- Returns the steps that a copy of the task replays: all steps except failed steps that are still to be retried. With
-- p_from_name, only the steps before the first step of this name; for a signal, also without the time of its timeout.
create or replace function tenuto._steps_before(p_task_id uuid, p_from_name text)
  returns setof tenuto.task_steps
  language sql
  stable
as $$
  select s.*
  from tenuto.task_steps s
  where s.task_id = p_task_id
    and s.retry_at is null
    and not exists (
      select
      from tenuto.task_steps f
      where f.task_id = p_task_id
        and (f.name = p_from_name and f.kind <> 'patch' or f.name = p_from_name || ' timeout' and f.kind = 'sleep')
        and f.step_no <= s.step_no);
$$;
