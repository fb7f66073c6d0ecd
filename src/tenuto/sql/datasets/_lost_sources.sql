-- Finds the jobs in all versions of a DAG whose data was computed from lost datasets, directly or through other jobs.
-- Returns the hashes of these jobs, each with its lost datasets. A dataset is lost if it was deleted. A dataset of
-- another DAG is also lost if it was renamed and another dataset has its old name. The data of such jobs cannot be used
-- again, because a hash has only the names of inputs. If a sink is affected, so are the jobs that append to it. If one
-- of these jobs is affected, so is the sink.
create or replace function tenuto._lost_sources(p_org_id uuid, p_dag_id uuid)
  returns table (config_hash text, lost uuid[])
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  with recursive inputs as materialized (   -- first, so that not all deleted datasets of the org are read
    select i.dag_version_id, i.job_id, i.dataset_id, i.parent_key, i.definition ->> 'dataset' as name
    from tenuto.dag_versions v
    join tenuto.job_inputs i on i.org_id = v.org_id and i.dag_version_id = v.id
    where v.org_id = p_org_id and v.dag_id = p_dag_id
  ), affected as (
    select i.dag_version_id, j.job_key, i.dataset_id
    from inputs i
    join tenuto.datasets d on d.org_id = p_org_id and d.id = i.dataset_id
    join tenuto.jobs j on j.org_id = p_org_id and j.id = i.job_id
    where d.deleted_at is not null or i.parent_key is null and exists (
      select from tenuto.datasets o
      where o.org_id = p_org_id and o.name = i.name and o.id <> d.id and o.deleted_at is null)
    union
    select a.dag_version_id, n.job_key, a.dataset_id
    from affected a
    cross join lateral (
      select j.job_key
      from tenuto.job_inputs i
      join tenuto.jobs j on j.org_id = i.org_id and j.id = i.job_id
      where i.org_id = p_org_id and i.dag_version_id = a.dag_version_id and i.parent_key = a.job_key
      union all
      select s.job_key
      from tenuto.jobs j
      join tenuto.job_outputs o on o.org_id = j.org_id and o.job_id = j.id
      join tenuto.dag_version_datasets s
        on s.org_id = o.org_id and s.dag_version_id = a.dag_version_id and s.name = o.definition ->> 'append_to'
      where j.org_id = p_org_id and j.dag_version_id = a.dag_version_id and j.job_key = a.job_key
      union all
      select j.job_key
      from tenuto.jobs k
      join tenuto.dag_version_datasets s
        on s.org_id = k.org_id and s.dag_version_id = k.dag_version_id and s.job_key = k.job_key
      join tenuto.jobs j on j.org_id = k.org_id and j.dag_version_id = k.dag_version_id
      join tenuto.job_outputs o on o.org_id = j.org_id and o.job_id = j.id and o.definition ->> 'append_to' = s.name
      where k.org_id = p_org_id and k.dag_version_id = a.dag_version_id and k.job_key = a.job_key
        and split_part(k.operator, '@', 1) = 'sink') n
  )
  select j.config_hash, array_agg(distinct a.dataset_id order by a.dataset_id)
  from affected a
  join tenuto.jobs j on j.org_id = p_org_id and j.dag_version_id = a.dag_version_id and j.job_key = a.job_key
  group by j.config_hash;
$$;
