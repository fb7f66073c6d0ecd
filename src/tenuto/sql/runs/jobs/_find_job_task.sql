-- Returns the job whose inputs an attempt is allowed to read, and a UUIDv7 with the time at which these inputs were
-- pinned. The job is the job of the attempt's task or, for the code of a bundle, the job of the task that started the
-- code. Returns no row for other attempts.
create or replace function tenuto._find_job_task(p_running tenuto.running_tasks)
  returns table (job jsonb, pinned uuid)
  language plpgsql
  stable
as $$
begin
  return query
  select j.input -> 'job', coalesce((j.input #>> '{job,pinned}')::uuid, j.root_id, j.id)
  from tenuto.tasks t
  join tenuto.tasks j on j.id = case when tenuto._is_job_task(p_running.flags) then t.id else t.parent_id end
  where t.id = p_running.id
    and (tenuto._is_job_task(p_running.flags)
      or exists (select from tenuto.routes r where r.id = j.route_id and r.type = 'tenuto.bundle')
        and exists (select from tenuto.job_tasks o where o.task_id = j.id and o.org_id = p_running.org_id));
end
$$;
