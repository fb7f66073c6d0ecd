-- Returns the job (DAG/JOB) and the partition of a task in a list. Both are null for a task that belongs to no job.
-- Types of jobs begin with `tenuto.`, so tasks of other types need no lookup.
create or replace function tenuto._listed_job(p_task_id uuid, p_type text, out job text, out partition text)
  language plpgsql
  stable
as $$
begin
  if starts_with(p_type, 'tenuto.') then
    select d.name || '/' || j.name, nullif(t.partition_key, '') into job, partition
    from tenuto.job_tasks t
    join tenuto.jobs j on j.org_id = t.org_id and j.dag_version_id = t.dag_version_id and j.job_key = t.job_key
    join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id
    join tenuto.dags d on d.org_id = v.org_id and d.id = v.dag_id
    where t.task_id = p_task_id;
  end if;
end
$$;
