-- Returns a page of the jobs of the current versions of one DAG or of all DAGs, in the order of DAG and name. The page
-- starts after the job p_after of the DAG p_after_dag.
create or replace function tenuto.list_jobs(
  p_org_id uuid, p_dag text default null, p_after_dag text default '', p_after text default '', p_limit int default 50)
  returns table (dag text, name text, job_key uuid, version int, activation text, runtime text, operator text,
    config_hash text, paused_at timestamptz, pause_reason text, held_at timestamptz)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select d.name, j.name, j.job_key, v.version, j.activation, j.runtime, j.operator, j.config_hash, c.paused_at,
         c.pause_reason, c.held_at
  from tenuto.dags d
  join tenuto.dag_versions v on v.org_id = d.org_id and v.dag_id = d.id and v.status = 'current'
  join tenuto.jobs j on j.org_id = v.org_id and j.dag_version_id = v.id
  join tenuto.job_controls c on c.org_id = j.org_id and c.job_key = j.job_key
  where d.org_id = p_org_id and d.deleted_at is null
    and (p_dag is null or d.name = p_dag)
    and (d.name, j.name) > (p_after_dag, p_after)
  order by d.name, j.name
  limit p_limit;
end
$$;
