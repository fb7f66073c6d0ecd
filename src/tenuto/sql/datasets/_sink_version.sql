-- Returns the dataset version of the sink to which an output of a job appends; null if it appends to none. p_output:
-- the position of the output, as JSON.
create or replace function tenuto._sink_version(
  p_org_id uuid, p_dag_version_id uuid, p_job_key uuid, p_output jsonb)
  returns uuid
  language sql
  stable
as $$
  select s.dataset_version_id
  from tenuto.jobs j
  cross join lateral jsonb_array_elements(j.definition -> 'outputs') with ordinality o(value, no)
  join tenuto.dag_version_datasets s
    on s.org_id = j.org_id and s.dag_version_id = j.dag_version_id and s.name = o.value ->> 'append_to'
  where j.org_id = p_org_id and j.dag_version_id = p_dag_version_id and j.job_key = p_job_key
    and to_jsonb(o.no - 1) = p_output;
$$;
