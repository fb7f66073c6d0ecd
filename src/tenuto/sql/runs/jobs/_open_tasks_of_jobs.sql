-- Returns the unfinished tasks of all jobs of an org.
create or replace function tenuto._open_tasks_of_jobs(p_org_id uuid)
  returns setof uuid
  language sql
  stable
as $$
  select id from tenuto.pending_tasks where org_id = p_org_id and tenuto._is_job_task(flags)
  union all
  select id from tenuto.delayed_tasks where org_id = p_org_id and tenuto._is_job_task(flags)
  union all
  select id from tenuto.waiting_tasks where org_id = p_org_id and tenuto._is_job_task(flags)
  union all
  select id from tenuto.ready_tasks where org_id = p_org_id and tenuto._is_job_task(flags)
  union all
  select id from tenuto.running_tasks where org_id = p_org_id and tenuto._is_job_task(flags)
$$;
