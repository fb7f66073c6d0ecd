-- Returns the outputs of a job in a version of its DAG, each with the dataset version that it publishes to, if any. An
-- output that appends to the dataset of a sink is described as the output of that sink.
create or replace function tenuto._list_outputs(
  p_org_id uuid, p_dag_version_id uuid, p_job_key uuid, p_definition jsonb)
  returns jsonb
  language sql
  stable
as $$
  select coalesce(jsonb_agg(jsonb_build_object(
           'no', o.no - 1,
           'name', o.value -> 'name',
           'appends', o.value ->> 'append_to' is not null,
           'dataset', s.name,
           'dataset_id', s.dataset_id,
           'version_id', v.id,
           'location', v.storage_location,
           'storage', d.output -> 'storage',
           'partition', d.output -> 'partition',
           'columns', d.output -> 'columns',
           'checks', d.output -> 'checks',
           'lineage', o.value -> 'lineage',
           'update_strategy', p_definition -> 'update_strategy',
           'unique_key', p_definition -> 'unique_key') order by o.no), '[]')
  from jsonb_array_elements(p_definition -> 'outputs') with ordinality o(value, no)
  left join tenuto.dag_version_datasets b   -- of the sink
    on b.org_id = p_org_id and b.dag_version_id = p_dag_version_id and b.name = o.value ->> 'append_to'
  left join tenuto.jobs k on k.org_id = p_org_id and k.dag_version_id = p_dag_version_id and k.job_key = b.job_key
  cross join lateral (
    select coalesce(k.definition -> 'outputs' -> b.output, o.value) as output,
           coalesce(b.job_key, p_job_key) as job_key, coalesce(b.output, o.no - 1) as no) d
  left join tenuto.dag_version_datasets s
    on s.org_id = p_org_id and s.dag_version_id = p_dag_version_id and s.job_key = d.job_key and s.output = d.no
  left join tenuto.dataset_versions v on v.org_id = s.org_id and v.id = s.dataset_version_id;
$$;
