-- Adds the inputs and outputs of the jobs of a new version. The caller has locked the datasets of other DAGs. Raises
-- TN003 for an input that is not an output of a job of this version and whose dataset no other DAG has.
create or replace function tenuto._link_jobs(p_org_id uuid, p_dag_id uuid, p_version_id uuid)
  returns void
  language plpgsql
as $$
declare
  v_missing text;
begin
  insert into tenuto.job_outputs (org_id, job_id, no, dataset_id, definition)
  select p_org_id, j.id, o.no - 1, s.dataset_id, o.value
  from tenuto.jobs j
  cross join lateral jsonb_array_elements(j.definition -> 'outputs') with ordinality o(value, no)
  left join tenuto.dag_version_datasets s
    on s.org_id = p_org_id and s.dag_version_id = p_version_id and s.job_key = j.job_key and s.output = o.no - 1
  where j.org_id = p_org_id and j.dag_version_id = p_version_id;

  select string_agg(distinct i.value ->> 'dataset', ', ') into v_missing
  from tenuto.jobs j
  cross join lateral jsonb_array_elements(j.definition -> 'inputs') i
  where j.org_id = p_org_id and j.dag_version_id = p_version_id
    and i.value ->> 'job' is null
    and not exists (
      select from tenuto.datasets d
      where d.org_id = p_org_id and d.name = i.value ->> 'dataset' and d.dag_id <> p_dag_id
        and d.deleted_at is null);
  if v_missing is not null then
    perform tenuto._raise('TN003', format('no other DAG publishes %s', left(v_missing, 1000)),
      'deploy the DAG that publishes it first, or correct the name');
  end if;

  insert into tenuto.job_inputs (org_id, job_id, no, dataset_id, parent_key, output, definition, dag_version_id)
  select p_org_id, j.id, i.no - 1, coalesce(s.dataset_id, d.id), p.job_key, (i.value ->> 'output')::int, i.value,
         p_version_id
  from tenuto.jobs j
  cross join lateral jsonb_array_elements(j.definition -> 'inputs') with ordinality i(value, no)
  left join tenuto.jobs p
    on p.org_id = p_org_id and p.dag_version_id = p_version_id and p.name = i.value ->> 'job'
  left join tenuto.dag_version_datasets s
    on s.org_id = p_org_id and s.dag_version_id = p_version_id and s.job_key = p.job_key
   and s.output = (i.value ->> 'output')::int
  left join tenuto.datasets d
    on d.org_id = p_org_id and p.job_key is null and d.name = i.value ->> 'dataset' and d.deleted_at is null
  where j.org_id = p_org_id and j.dag_version_id = p_version_id;
end
$$;
