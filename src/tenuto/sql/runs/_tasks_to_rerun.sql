-- The tasks that a retry of the run executes again. With p_reuse: what failed or was cancelled, what was skipped behind
-- it, and handlers that ran; else all. Tasks that an attempt of the run copied are over, and so are their children;
-- children of a task that runs again are left out: it starts its own.
create or replace function tenuto._tasks_to_rerun(p_run_id uuid, p_reuse boolean)
  returns setof uuid
  language sql
  stable
as $$
  with recursive every as materialized (
    select t.id, t.parent_id, t.handler, t.copy_of, a.outcome
    from tenuto._run_tasks(p_run_id) t
    left join tenuto.task_attempts a on a.task_id = t.id and a.end_no = 0
  ), old as materialized (
    select e.id, e.handler, e.outcome
    from every e
    where e.outcome is not null and not exists (select from every c where c.copy_of = e.id)
  ), again(id) as (
    select o.id from old o where not p_reuse or o.handler is not null or o.outcome in ('failed', 'cancelled')
    union
    select o.id from again g join tenuto.task_dependencies d on d.parent_id = g.id join old o on o.id = d.child_id and o.outcome = 'skipped'
  ), below(id) as (
    select e.id from every e join (select id from again union select copy_of from every) g on g.id = e.parent_id
    union
    select e.id from below b join every e on e.parent_id = b.id
  )
  select id from again except select id from below;
$$;
