-- Returns the runs that stay when the weekly partition of these ids is dropped: runs that have not ended, and runs that
-- ended after p_since. If p_since is null, returns only runs that have not ended, which is fast. A single-task run is
-- found by its task. Any other run is found by its own row, in any partition. The id of a run is created after the ids
-- of its tasks, so a run that was started around the end of the week may belong to the next week. A run that its retry
-- is still copying stays too.
create or replace function tenuto._runs_to_keep(p_from uuid, p_to uuid, p_since timestamptz)
  returns setof uuid
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  select r.id from tenuto.runs r where r.status in ('pending', 'running', 'retrying')
  union
  select q.source_id from tenuto.run_requests q where q.source_id is not null
  union
  select o.run_id from tenuto._open_tasks_of(p_from, p_to, null) o
  union
  select r.id from tenuto.runs r where p_since is not null and r.id < p_to and r.completed_at > p_since
  union
  select r.id
  from (
    select distinct t.run_id
    from tenuto.tasks t
    where p_since is not null and t.id >= p_from and t.id < p_to and t.run_id >= p_to and t.run_id <> t.id
  ) t
  join tenuto.runs r on r.id = t.run_id
  where r.completed_at > p_since
  union
  select r.id from tenuto.runs_default r where p_since is not null and r.completed_at > p_since
  union
  select a.task_id
  from tenuto.task_attempts a
  where p_since is not null and a.task_id >= p_from and a.task_id < p_to and a.end_no = 0 and a.ended_at > p_since;
$$;
