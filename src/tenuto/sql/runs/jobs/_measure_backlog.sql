-- Returns how many tasks of a job wait for a worker or a limit, counted up to p_limit, and since when the oldest of the
-- counted tasks has waited. Tasks that wait for a retry are not counted. Reads at most 50,000 ready tasks and 50,000
-- tasks that wait for a limit, of all jobs of the org. So tasks of other jobs can make the result too small, but never
-- make the measurement slow or fail.
create or replace function tenuto._measure_backlog(
  p_org_id uuid, p_job_key uuid, p_limit int, out depth int, out oldest_at timestamptz)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with routes as materialized (
    select r.id from tenuto.routes r where r.org_id = p_org_id and starts_with(r.type, 'tenuto.')
  ), waiting as (
    (select t.queued_at
     from (
       select t.id, t.queued_at
       from routes r
       join tenuto.ready_tasks t on t.route_id = r.id
       limit 50000) t
     join tenuto.job_tasks j on j.task_id = t.id and j.job_key = p_job_key
     limit p_limit)
    union all
    (select w.waiting_at
     from (
       select w.id, w.waiting_at
       from routes r
       join tenuto.waiting_tasks w on w.org_id = p_org_id and w.route_id = r.id and w.waits_for = 'limit'
       limit 50000) w
     join tenuto.job_tasks j on j.task_id = w.id and j.job_key = p_job_key
     limit p_limit)
  )
  select least(count(*), p_limit)::int, min(w.queued_at) from waiting w;
$$;
