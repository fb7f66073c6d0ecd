-- Returns the jobs of other DAGs that read these datasets, in versions that are current or can become current without a
-- rollback.
create or replace function tenuto._outside_readers(p_org_id uuid, p_dag_id uuid, p_dataset_ids uuid[])
  returns table (dag text, version int, job text, dataset text)
  language sql
  stable
as $$
  select g.name, v.version, j.name, d.name
  from tenuto.datasets d
  join tenuto.job_inputs i on i.org_id = d.org_id and i.dataset_id = d.id
  join tenuto.jobs j on j.org_id = i.org_id and j.id = i.job_id
  join tenuto.dag_versions v
    on v.org_id = i.org_id and v.id = i.dag_version_id and v.status in ('staged', 'building', 'ready', 'current')
  join tenuto.dags g on g.org_id = v.org_id and g.id = v.dag_id and g.id is distinct from p_dag_id
   and g.deleted_at is null
  where d.org_id = p_org_id and d.id = any (p_dataset_ids)
  order by 1, 2, 3, 4;
$$;
