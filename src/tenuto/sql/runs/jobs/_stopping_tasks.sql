-- Returns the running tasks of a DAG version that have a cancel request, if their job runs for every update or does not
-- replace its data. A build waits for these tasks: it is not known before their end which work they have not done.
create or replace function tenuto._stopping_tasks(p_org_id uuid, p_version_id uuid)
  returns uuid[]
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  select array(
    select r.id
    from tenuto.running_tasks r
    join tenuto.job_tasks t on t.task_id = r.id and t.dag_version_id = p_version_id
    join tenuto.jobs j on j.org_id = t.org_id and j.dag_version_id = t.dag_version_id and j.job_key = t.job_key
    where r.org_id = p_org_id and r.cancel and tenuto._is_job_task(r.flags)
      and (j.definition ->> 'execution_strategy' = 'PerUpdate' or j.definition ->> 'update_strategy' <> 'replace'));
$$;
