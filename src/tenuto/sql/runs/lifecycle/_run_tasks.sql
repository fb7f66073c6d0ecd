-- Returns the tasks of a run. The first branch returns the tasks that the partial index on run_id covers. The second
-- branch returns the task of a single-task run.
create or replace function tenuto._run_tasks(p_run_id uuid)
  returns setof tenuto.tasks
  language sql
  stable
as $$
  select t.* from tenuto.tasks t where t.run_id = p_run_id and t.run_id <> t.id
  union all
  select t.* from tenuto.tasks t where t.id = p_run_id and t.run_id = t.id;
$$;
