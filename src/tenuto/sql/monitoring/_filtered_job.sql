-- Returns the key of the job that a filter names: p_job is written as DAG/JOB. Returns null if p_job is null. Raises
-- TN003 if p_job has another form, TN001 for an unknown job.
create or replace function tenuto._filtered_job(p_org_id uuid, p_job text)
  returns uuid
  language plpgsql
  stable
as $$
begin
  if p_job is null then
    return null;
  elsif p_job !~ '^[^/]+/[^/]+$' then
    perform tenuto._raise('TN003', format('%s is not the name of a job', left(p_job, 100)), 'write DAG/JOB');
  end if;
  return tenuto._find_job_key(p_org_id, split_part(p_job, '/', 1), split_part(p_job, '/', 2));
end
$$;
