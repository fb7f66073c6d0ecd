-- Raises TN003 if a job runs a task of a bundle that does not exist, or that does not have this task.
create or replace function tenuto._check_bundles(p_org_id uuid, p_jobs jsonb)
  returns void
  language plpgsql
as $$
declare
  v_job text;
  v_task text;
begin
  select j.value ->> 'name', format('task %s of bundle %s', j.value #>> '{udf,task}', j.value #>> '{udf,bundle}')
  into v_job, v_task
  from jsonb_array_elements(p_jobs) j
  where jsonb_typeof(j.value -> 'udf') = 'object'
    and not exists (
      select from tenuto.bundles b
      where b.org_id = p_org_id
        and b.sha256 = j.value #>> '{udf,bundle}'
        and b.manifest -> 'tasks' ? (j.value #>> '{udf,task}'))
  limit 1;
  if found then
    perform tenuto._raise('TN003', format('job %s runs %s, which does not exist', v_job, v_task),
      'upload the bundle first, or correct the name of the task');
  end if;
end
$$;
