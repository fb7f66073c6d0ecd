-- Returns the tasks that a cancel stops. For a run, these are its tasks. For a task, they are the task itself, its
-- children, and the dependents that start only if it completes. Returns no tasks for a run that already has its result:
-- only its handlers are left, and a cancel does not stop them.
create or replace function tenuto._tasks_below(p_id uuid, p_scope text)
  returns setof uuid
  language sql
  stable
as $$
  select t.id
  from tenuto._run_tasks(p_id) t
  where p_scope = 'run' and not exists (select from tenuto.runs r where r.id = p_id and r.pending_status is not null)
  union all (
    with recursive below(id) as (
      select p_id where p_scope = 'task'
      union
      select n.id
      from below b
      cross join lateral (
        select t.id from tenuto.tasks t where t.parent_id = b.id
        union all
        select d.child_id from tenuto.task_dependencies d where d.parent_id = b.id and d.runs_on = 'completed'
      ) n
    )
    select id from below
  );
$$;
