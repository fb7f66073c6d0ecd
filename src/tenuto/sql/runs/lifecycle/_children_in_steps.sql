-- Returns the ended children that a task recorded in the steps that its copy replays. kept is true if a retry of the
-- task does not run the child again: the child completed or was skipped, or the task handled its failure. A failure
-- that the run does not tolerate (_failure_is_tolerated) never counts as handled. fail_step records that the task
-- handled a failure, but some workers do not call it. So the failure of a child also counts as handled if the task
-- recorded a later step after the child had ended, and the task's own error names no child of the child's step.
create or replace function tenuto._children_in_steps(p_task_id uuid, p_from_name text)
  returns table (id uuid, kept boolean)
  language sql
  stable
as $$
  with named as materialized (
    select array(
      select m[1] from regexp_matches(f.error ->> 'message', '[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}', 'g') m
    ) as ids
    from tenuto.task_attempts f
    where f.task_id = p_task_id and f.end_no = 0
    limit 1
  ), steps as materialized (
    select s.value, s.error is not null as handled, s.value ?| coalesce((select n.ids from named n), '{}') as blamed,
           (select max(l.created_at) from tenuto._steps_before(p_task_id, p_from_name) l
            where l.step_no > s.step_no) as later_at
    from tenuto._steps_before(p_task_id, p_from_name) s
    where s.kind = 'child'
  )
  select c.id,
         a.outcome in ('completed', 'skipped')
         or (a.outcome = 'failed'
             and (s.handled or (not s.blamed and coalesce(s.later_at >= a.ended_at, false)))
             and tenuto._failure_is_tolerated(c.id))
  from steps s
  cross join lateral (select i::uuid as id from jsonb_array_elements_text(s.value) i offset 0) c
  cross join lateral (
    select t.id from tenuto.tasks t where t.id = c.id and t.parent_id = p_task_id limit 1) t   -- only its own children
  cross join lateral (
    select a.outcome, a.ended_at from tenuto.task_attempts a where a.task_id = c.id and a.end_no = 0 limit 1) a;
$$;
