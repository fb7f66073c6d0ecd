-- Returns the number of unfinished tasks of each job of a DAG, per DAG version. Tasks of continuous sources are left
-- out: they end with their schedules.
create or replace function tenuto._open_job_tasks(p_org_id uuid, p_dag_id uuid)
  returns table (job_key uuid, dag_version_id uuid, tasks bigint)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  with open_tasks as (
    select o.id from tenuto._open_tasks_of_jobs(p_org_id) o(id)
  )
  select j.job_key, j.dag_version_id, count(*)
  from open_tasks t
  join tenuto.job_tasks j on j.task_id = t.id
  join tenuto.job_controls c on c.org_id = j.org_id and c.job_key = j.job_key and c.dag_id = p_dag_id
  where not exists (select from tenuto.schedules s where s.org_id = p_org_id and s.job_key = c.job_key and s.continuous)
  group by 1, 2;
$$;
