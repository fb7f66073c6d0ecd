-- Returns the jobs and datasets that a dataset (by its name) or a job (as DAG.JOB) triggers in the current versions of
-- other DAGs than p_dag, by the same rules as _trigger_edges. Must stay one plain statement, so that Postgres can
-- inline it into the calling statement.
create or replace function tenuto._triggered_by(p_org_id uuid, p_dag text, p_node text)
  returns table (target text)
  language sql
  stable
as $$
  select g.name || '.' || j.name
  from tenuto.datasets d
  join tenuto.job_inputs i
    on i.org_id = p_org_id and i.dataset_id = d.id and i.definition -> 'trigger' <> 'null'
  join tenuto.dag_current_versions c on c.org_id = p_org_id and c.dag_version_id = i.dag_version_id
  join tenuto.dags g on g.org_id = p_org_id and g.id = c.dag_id and g.name <> p_dag
  join tenuto.jobs j on j.org_id = p_org_id and j.id = i.job_id
  where d.org_id = p_org_id and d.name = p_node and d.deleted_at is null
  union all
  select n.target
  from tenuto.dags g
  join tenuto.dag_current_versions c on c.org_id = p_org_id and c.dag_id = g.id
  join tenuto.jobs j
    on j.org_id = p_org_id and j.dag_version_id = c.dag_version_id
   and j.name = substr(p_node, strpos(p_node, '.') + 1)
  cross join lateral (
    select d.name as target
    from tenuto.job_outputs o
    left join tenuto.dag_version_datasets s
      on s.org_id = p_org_id and s.dag_version_id = j.dag_version_id and s.name = o.definition ->> 'append_to'
    join tenuto.datasets d on d.org_id = p_org_id and d.id = coalesce(s.dataset_id, o.dataset_id)
    where o.org_id = p_org_id and o.job_id = j.id
    union all
    select g.name || '.' || k.name
    from tenuto.job_inputs i
    join tenuto.jobs k on k.org_id = p_org_id and k.id = i.job_id
    where i.org_id = p_org_id and i.parent_key = j.job_key and i.dag_version_id = j.dag_version_id
      and i.dataset_id is null and i.definition -> 'trigger' <> 'null'
  ) n
  where g.org_id = p_org_id and g.name = split_part(p_node, '.', 1) and g.name <> p_dag and g.deleted_at is null
    and strpos(p_node, '.') > 0
$$;
