-- Returns the jobs of an org that backpressure must hold, with the reason. In the current versions, these are the jobs
-- that produce inputs of a job whose backlog is too large, directly or through other jobs, even of other DAGs. Inputs
-- without a trigger do not count.
create or replace function tenuto._held_jobs(p_org_id uuid)
  returns table (job_key uuid, reason text)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  with recursive current_jobs as materialized (
    select j.id, j.job_key, j.name, d.name as dag
    from tenuto.dag_versions v
    join tenuto.dags d on d.org_id = v.org_id and d.id = v.dag_id
    join tenuto.jobs j on j.org_id = v.org_id and j.dag_version_id = v.id
    where v.org_id = p_org_id and v.status = 'current'
  ), feeds as materialized (
    select distinct j.job_key as reader, coalesce(i.parent_key, d.job_key) as job_key
    from current_jobs j
    join tenuto.job_inputs i on i.org_id = p_org_id and i.job_id = j.id and i.definition ->> 'trigger' is not null
    left join tenuto.datasets d on d.org_id = p_org_id and d.id = i.dataset_id
  ), held (job_key, cause) as (
    select f.job_key, b.job_key
    from tenuto.job_backlogs b
    join feeds f on f.reader = b.job_key
    where b.org_id = p_org_id and b.engaged_at is not null
    union
    select f.job_key, h.cause
    from held h
    join feeds f on f.reader = h.job_key
  )
  select distinct on (j.job_key) j.job_key,
         format('%s/%s has %s%s tasks queued%s', c.dag, c.name,
           case when b.depth > b.max_depth then 'over ' else '' end, least(b.depth, b.max_depth),
           coalesce(', the oldest since ' || to_char(b.oldest_at at time zone 'UTC', 'YYYY-MM-DD HH24:MI:SS'), ''))
  from held h
  join current_jobs j on j.job_key = h.job_key
  join current_jobs c on c.job_key = h.cause
  join tenuto.job_backlogs b on b.org_id = p_org_id and b.job_key = h.cause
  where h.job_key <> h.cause
  order by j.job_key, b.engaged_at, h.cause;
$$;
