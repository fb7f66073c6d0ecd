-- The runs that stay when the week of these ids is dropped: those still open, and those that ended after p_since (null:
-- only open ones, which is quick). A run of one is found by its task, the others by their own row, wherever that is.
create or replace function tenuto._runs_to_keep(p_from uuid, p_to uuid, p_since timestamptz)
  returns setof uuid
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  select r.id from tenuto.runs r where r.status in ('pending', 'running', 'retrying')
  union
  select p.run_id from tenuto.pending_tasks p where p.id >= p_from and p.id < p_to
  union
  select q.run_id from tenuto.ready_tasks q where q.id >= p_from and q.id < p_to
  union
  select d.run_id from tenuto.delayed_tasks d where d.id >= p_from and d.id < p_to
  union
  select w.run_id from tenuto.waiting_tasks w where w.id >= p_from and w.id < p_to
  union
  select u.run_id from tenuto.running_tasks u where u.id >= p_from and u.id < p_to
  union
  select r.id from tenuto.runs r where p_since is not null and r.id < p_to and r.completed_at > p_since
  union
  select r.id from tenuto.runs_default r where p_since is not null and r.completed_at > p_since
  union
  select a.task_id
  from tenuto.task_attempts a
  where p_since is not null and a.task_id >= p_from and a.task_id < p_to and a.end_no = 0 and a.ended_at > p_since;
$$;
