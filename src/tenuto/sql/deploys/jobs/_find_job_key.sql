-- Returns the key of a job of a DAG by its name: in the current version, or else in the newest version that has it.
-- Raises TN001 if no version has such a job.
create or replace function tenuto._find_job_key(p_org_id uuid, p_dag text, p_name text)
  returns uuid
  language plpgsql
  stable
as $$
declare
  v_key uuid;
begin
  select j.job_key into v_key
  from tenuto.dags d
  join tenuto.dag_versions v on v.org_id = d.org_id and v.dag_id = d.id
  join tenuto.jobs j on j.org_id = v.org_id and j.dag_version_id = v.id and j.name = p_name
  where d.org_id = p_org_id and d.name = p_dag and d.deleted_at is null
  order by v.status = 'current' desc, v.version desc
  limit 1;
  if not found then
    perform tenuto._raise('TN001', format('no job %s in a DAG %s', left(p_name, 100), left(p_dag, 100)),
      tenuto._did_you_mean(p_dag || '/' || p_name, array(
        select distinct d.name || '/' || j.name
        from tenuto.dags d
        join tenuto.dag_versions v on v.org_id = d.org_id and v.dag_id = d.id and v.status = 'current'
        join tenuto.jobs j on j.org_id = v.org_id and j.dag_version_id = v.id
        where d.org_id = p_org_id and d.deleted_at is null
        order by 1
        limit 200), 'list the jobs to see which exist'));
  end if;
  return v_key;
end
$$;
