-- Returns the tasks of these runs that have ids from p_from to before p_to, the ids of one week. The first branch
-- returns the tasks that the partial index on run_id covers. The second branch returns the task of a single-task run.
create or replace function tenuto._tasks_of_runs(p_runs uuid[], p_from uuid, p_to uuid)
  returns setof uuid
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  select t.id
  from unnest(p_runs) r(id)
  join tenuto.tasks t on t.run_id = r.id and t.run_id <> t.id
  where t.id >= p_from and t.id < p_to
  union
  select t.id
  from unnest(p_runs) r(id)
  join tenuto.tasks t on t.id = r.id and t.run_id = t.id
  where t.id >= p_from and t.id < p_to;
$$;
