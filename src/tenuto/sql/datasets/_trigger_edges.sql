-- Returns pairs of datasets and jobs of a DAG version, in which source triggers target. A dataset triggers the jobs
-- that read it. A job triggers the datasets that it publishes or appends to. If one of its outputs has no dataset, the
-- job triggers the jobs that read this output. Datasets have their current names; jobs are written as DAG.JOB. Inputs
-- without a trigger are left out.
create or replace function tenuto._trigger_edges(p_org_id uuid, p_version_id uuid)
  returns table (source text, target text)
  language sql
  stable
as $$
  with jobs as (
    select j.id, j.job_key, g.name || '.' || j.name as name
    from tenuto.dag_versions v
    join tenuto.dags g on g.org_id = v.org_id and g.id = v.dag_id
    join tenuto.jobs j on j.org_id = v.org_id and j.dag_version_id = v.id
    where v.org_id = p_org_id and v.id = p_version_id
  )
  select coalesce(d.name, p.name), j.name
  from jobs j
  join tenuto.job_inputs i on i.org_id = p_org_id and i.job_id = j.id and i.definition -> 'trigger' <> 'null'
  left join tenuto.datasets d on d.org_id = p_org_id and d.id = i.dataset_id
  left join jobs p on p.job_key = i.parent_key
  union all
  select j.name, d.name
  from jobs j
  join tenuto.job_outputs o on o.org_id = p_org_id and o.job_id = j.id
  left join tenuto.dag_version_datasets s
    on s.org_id = p_org_id and s.dag_version_id = p_version_id and s.name = o.definition ->> 'append_to'
  join tenuto.datasets d on d.org_id = p_org_id and d.id = coalesce(s.dataset_id, o.dataset_id)
$$;
