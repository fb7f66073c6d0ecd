-- Returns a page of tasks of a run or of the org, newest first, starting before p_before; or with p_after, oldest
-- first, starting after p_after. p_statuses: only tasks with one of these statuses. p_since, p_until: only tasks
-- created at or after p_since and before p_until. p_external_id: only tasks with this id in another system, found by
-- index. p_metadata: only tasks whose metadata contains it (@>); with no other filter, these are found whatever their
-- age. p_job: only tasks of this job (DAG/JOB). With p_run_id, a search reads the whole run. With p_job, it reads at
-- most 10,000 tasks of the job, those next to p_before or p_after. All other searches, except those by p_external_id or
-- only by p_metadata, read at most 10,000 tasks of the org, those next to p_before or p_after. Without p_after, these
-- other searches find tasks that have not ended whatever their age, and a search for failed, cancelled or skipped tasks
-- reads only tasks with this status.
create or replace function tenuto.list_tasks(
  p_org_id uuid, p_run_id uuid default null, p_status text default null, p_queue text default null,
  p_type text default null, p_before uuid default null, p_limit int default 50, p_after uuid default null,
  p_statuses text[] default null, p_since timestamptz default null, p_until timestamptz default null,
  p_external_id text default null, p_metadata jsonb default null, p_job text default null)
  returns table (
    id uuid, run_id uuid, parent_id uuid, "position" int, name text, queue text, type text, labels text[], priority int,
    status text, attempt int, failures int, losses int, max_attempts int, error jsonb, progress real, message text,
    worker_id text, created_at timestamptz, available_at timestamptz, next_retry_at timestamptz, started_at timestamptz,
    completed_at timestamptz, job text, partition text)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_statuses text[] := tenuto._statuses_of('task', p_status, p_statuses);
  v_routes int[] := tenuto._routes_of(p_org_id, p_queue, p_type);
  v_job_key uuid := tenuto._filtered_job(p_org_id, p_job);
  v_ids uuid[];
begin
  perform tenuto._check_page(p_limit);
  perform tenuto._check_metadata_filter(
    p_metadata, p_after, case when p_external_id is not null then 'external_id' end);
  if p_external_id is not null then
    v_ids := array(
      select t.id from tenuto.tasks t
      where t.org_id = p_org_id and t.queue_job_id = p_external_id
        and (p_before is null or t.id < p_before) and (p_after is null or t.id > p_after)
        and (p_run_id is null or t.run_id = p_run_id) and (v_routes is null or t.route_id = any (v_routes))
        and (p_since is null or t.created_at >= p_since) and (p_until is null or t.created_at < p_until)
        and (v_job_key is null
          or exists (select from tenuto.job_tasks j where j.task_id = t.id and j.job_key = v_job_key))
      order by case when p_after is not null then t.id end, t.id desc
      limit 10000);
  elsif p_after is null then
    select f.ids into v_ids
    from tenuto._find_tasks_in(p_org_id, p_run_id, v_statuses, v_routes, p_since, p_until, p_before, p_limit,
      p_metadata, v_job_key) f;
  elsif p_run_id is not null then
    v_ids := array(
      select t.id from tenuto._run_tasks(p_run_id) t
      where t.org_id = p_org_id and t.id > p_after and (v_routes is null or t.route_id = any (v_routes))
        and (p_since is null or t.id >= tenuto._uuid7_floor(p_since))
        and (p_until is null or t.id < tenuto._uuid7_floor(p_until))
        and (v_job_key is null
          or exists (select from tenuto.job_tasks j where j.task_id = t.id and j.job_key = v_job_key))
      order by t.id
      limit case when v_statuses is null then p_limit end);
  elsif v_job_key is not null then
    v_ids := array(
      select j.task_id
      from tenuto._list_job_tasks(p_org_id, v_job_key, tenuto._uuid7_floor(p_since), tenuto._uuid7_floor(p_until),
        case when v_statuses is null and v_routes is null then p_limit else 10000 end, p_after) j
      cross join lateral (select t.route_id from tenuto.tasks t where t.id = j.task_id limit 1) t
      where v_routes is null or t.route_id = any (v_routes)
      order by j.task_id
      limit case when v_statuses is null then p_limit end);
  else
    v_ids := array(
      select t.id from (
        select t.id, t.route_id
        from tenuto.tasks t
        where t.org_id = p_org_id and t.id > p_after
          and (p_since is null or t.id >= tenuto._uuid7_floor(p_since))
          and (p_until is null or t.id < tenuto._uuid7_floor(p_until))
        order by t.id
        limit 10000) t
      where v_routes is null or t.route_id = any (v_routes)
      order by t.id
      limit case when v_statuses is null then p_limit end);
  end if;

  return query
  select l.*, j.job, j.partition
  from (
    select s.*
    from tenuto._task_rows(v_ids) s
    where v_statuses is null or s.status = any (v_statuses)
    order by case when p_after is not null then s.id end, s.id desc
    limit p_limit) l
  cross join lateral tenuto._listed_job(l.id, l.type) j
  order by case when p_after is not null then l.id end, l.id desc;
end
$$;
