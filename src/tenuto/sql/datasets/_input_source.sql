-- Returns the dataset version that an input of a job reads now, the name of the dataset, and the job that computes it.
-- This producing job is in the same version of the DAG, or in the current version of another DAG.
create or replace function tenuto._input_source(
  p_input tenuto.job_inputs, out version_id uuid, out name text, out job_key uuid, out dag_version_id uuid,
  out output int)
  language sql
  stable
as $$
  select case when p_input.parent_key is null then d.current_version_id else s.dataset_version_id end,
         d.name, s.job_key, s.dag_version_id, s.output
  from tenuto.datasets d
  left join tenuto.dag_current_versions c on c.org_id = d.org_id and c.dag_id = d.dag_id
  left join tenuto.dag_version_datasets s
    on s.org_id = d.org_id and s.dataset_id = d.id
   and s.dag_version_id = case when p_input.parent_key is null then c.dag_version_id else p_input.dag_version_id end
  where d.org_id = p_input.org_id and d.id = p_input.dataset_id;
$$;
