-- Returns a source job by its key, as the current version of its DAG defines it. Returns no row if the job is paused or
-- held, or if no current version has it.
create or replace function tenuto._find_source(p_org_id uuid, p_job_key uuid)
  returns table (dag text, version int, job tenuto.jobs)
  language sql
  stable
as $$
  select d.name, v.version, j
  from tenuto.job_controls c
  join tenuto.dags d on d.org_id = c.org_id and d.id = c.dag_id
  join tenuto.dag_versions v on v.org_id = c.org_id and v.dag_id = c.dag_id and v.status = 'current'
  join tenuto.jobs j on j.org_id = c.org_id and j.dag_version_id = v.id and j.job_key = c.job_key
  where c.org_id = p_org_id and c.job_key = p_job_key and c.paused_at is null and c.held_at is null
$$;
