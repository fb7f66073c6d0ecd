-- The tasks that a retry of the run executes again. With p_reuse: what failed or was cancelled, and what was skipped
-- behind it; else all. Children of a task that runs again are left out: it starts its own.
create or replace function tenuto._tasks_to_rerun(p_run tenuto.runs, p_reuse boolean)
  returns setof uuid
  language sql
  stable
as $$
  with recursive old as materialized (
    select t.id, t.parent_id, t.handler, a.outcome
    from tenuto._run_tasks(p_run.id) t
    left join tenuto.task_attempts a on a.task_id = t.id and a.end_no = 0
    where t.run_attempt = p_run.attempt or a.outcome = 'completed'
  ), again(id) as (
    select id from old where (not p_reuse or outcome in ('failed', 'cancelled')) and outcome is not null
    union
    select o.id from again g join tenuto.task_dependencies d on d.parent_id = g.id join old o on o.id = d.child_id and o.outcome = 'skipped'
  ), below(id) as (
    select o.id from again g join old o on o.parent_id = g.id
    union
    select o.id from below b join old o on o.parent_id = b.id
  )
  select id from again except select id from below;
$$;
