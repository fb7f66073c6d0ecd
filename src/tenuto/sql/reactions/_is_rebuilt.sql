-- Returns true if the build of a DAG version computes this job. This is so if, for one of the job's datasets, the DAG
-- version has another dataset version than the current one.
create or replace function tenuto._is_rebuilt(p_org_id uuid, p_dag_version_id uuid, p_job_id uuid)
  returns boolean
  language sql
  stable
as $$
  select exists (
    select from tenuto.jobs j
    join tenuto.dag_version_datasets n
      on n.org_id = j.org_id and n.dag_version_id = p_dag_version_id and n.job_key = j.job_key
    join tenuto.datasets d on d.org_id = n.org_id and d.id = n.dataset_id
    where j.org_id = p_org_id and j.id = p_job_id
      and d.current_version_id is distinct from n.dataset_version_id);
$$;
