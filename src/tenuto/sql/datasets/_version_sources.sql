-- Returns from which datasets each dataset of a DAG version is computed: the datasets that its job reads, directly or
-- through outputs without a dataset. For a sink, these are the datasets that the jobs which append to it read.
create or replace function tenuto._version_sources(p_org_id uuid, p_version_id uuid)
  returns table (dataset_id uuid, source_id uuid)
  language sql
  stable
as $$
  with recursive reads as (
    select j.job_key, i.dataset_id, i.parent_key
    from tenuto.jobs j
    join tenuto.job_inputs i on i.org_id = j.org_id and i.job_id = j.id
    where j.org_id = p_org_id and j.dag_version_id = p_version_id
    union
    select r.job_key, i.dataset_id, i.parent_key
    from reads r
    join tenuto.jobs j on j.org_id = p_org_id and j.dag_version_id = p_version_id and j.job_key = r.parent_key
    join tenuto.job_inputs i on i.org_id = j.org_id and i.job_id = j.id
    where r.dataset_id is null
  )
  select distinct coalesce(s.dataset_id, o.dataset_id), r.dataset_id
  from reads r
  join tenuto.jobs j on j.org_id = p_org_id and j.dag_version_id = p_version_id and j.job_key = r.job_key
  join tenuto.job_outputs o on o.org_id = p_org_id and o.job_id = j.id
  left join tenuto.dag_version_datasets s
    on s.org_id = p_org_id and s.dag_version_id = p_version_id and s.name = o.definition ->> 'append_to'
  where r.dataset_id is not null and coalesce(s.dataset_id, o.dataset_id) is not null
$$;
