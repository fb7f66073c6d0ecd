-- Returns what is known about a job of a version of a DAG: its definition, and the datasets that it reads and writes.
create or replace function tenuto._job_facts(p_org_id uuid, p_job_id uuid)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_build_object(
    'operator', split_part(j.operator, '@', 1), 'config', j.definition -> 'config', 'version', v.version,
    'deployed_by', v.created_by,
    'bundle', j.definition #> '{udf,bundle}', 'code_version', j.definition -> 'code_version',
    'description', j.definition -> 'description', 'source_kind', j.definition #> '{source,kind}',
    'inputs', (
      select jsonb_agg(jsonb_build_object('dataset', d.name) order by i.no)
      from tenuto.job_inputs i
      join tenuto.datasets d on d.org_id = i.org_id and d.id = i.dataset_id
      where i.org_id = p_org_id and i.job_id = p_job_id),
    'outputs', (
      select jsonb_agg(o order by o -> 'no')
      from jsonb_array_elements(tenuto._list_outputs(p_org_id, j.dag_version_id, j.job_key, j.definition)) o
      where o -> 'dataset' <> 'null'))
  from tenuto.jobs j
  join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id
  where j.org_id = p_org_id and j.id = p_job_id;
$$;
