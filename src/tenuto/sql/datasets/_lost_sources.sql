-- Returns the jobs of a new version whose definition an earlier version of the DAG has too, and which were computed
-- there from a dataset that is deleted now, directly or through other jobs: what they published is of no use any more,
-- even if there is a dataset of that name again. A sink and the jobs that append to it count as one.
create or replace function tenuto._lost_sources(p_org_id uuid, p_dag_id uuid, p_version_id uuid)
  returns table (job_id uuid, lost uuid[])
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  with recursive affected as (
    select i.dag_version_id, j.job_key, i.dataset_id
    from tenuto.datasets d
    join tenuto.job_inputs i on i.org_id = d.org_id and i.dataset_id = d.id
    join tenuto.dag_versions v on v.org_id = i.org_id and v.id = i.dag_version_id and v.dag_id = p_dag_id
    join tenuto.jobs j on j.org_id = i.org_id and j.id = i.job_id
    where d.org_id = p_org_id and d.deleted_at is not null
    union
    select a.dag_version_id, n.job_key, a.dataset_id
    from affected a
    cross join lateral (
      select j.job_key
      from tenuto.job_inputs i
      join tenuto.jobs j on j.org_id = i.org_id and j.id = i.job_id
      where i.org_id = p_org_id and i.dag_version_id = a.dag_version_id and i.parent_key = a.job_key
      union all
      select case when a.job_key = s.job_key then j.job_key else s.job_key end
      from tenuto.jobs j
      join tenuto.job_outputs o on o.org_id = j.org_id and o.job_id = j.id
      join tenuto.dag_version_datasets s
        on s.org_id = o.org_id and s.dag_version_id = a.dag_version_id and s.name = o.definition ->> 'append_to'
      where j.org_id = p_org_id and j.dag_version_id = a.dag_version_id and a.job_key in (j.job_key, s.job_key)) n
  )
  select n.id, array_agg(distinct a.dataset_id order by a.dataset_id)
  from affected a
  join tenuto.jobs o on o.org_id = p_org_id and o.dag_version_id = a.dag_version_id and o.job_key = a.job_key
  join tenuto.jobs n on n.org_id = p_org_id and n.dag_version_id = p_version_id and n.config_hash = o.config_hash
  group by n.id;
$$;
