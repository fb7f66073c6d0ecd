-- Returns a job of the current version of its DAG, and the number of that version. Raises TN001 if no version of the
-- DAG has such a job, TN004 if no current version has it. Without p_force, also raises TN004 if the job is paused or
-- held.
create or replace function tenuto._find_current_job(
  p_org_id uuid, p_dag text, p_name text, p_force boolean, out job tenuto.jobs, out version int)
  language plpgsql
  stable
as $$
declare
  v_version_id uuid;
  v_pause tenuto.job_controls;
begin
  select v.id, v.version into v_version_id, version
  from tenuto.dags d
  join tenuto.dag_versions v on v.org_id = d.org_id and v.dag_id = d.id and v.status = 'current'
  where d.org_id = p_org_id and d.name = p_dag and d.deleted_at is null;
  select j.* into job
  from tenuto.jobs j
  where j.org_id = p_org_id and j.dag_version_id = v_version_id and j.name = p_name;
  if not found then
    perform tenuto._find_job_key(p_org_id, p_dag, p_name);   -- raises if no version has it
    perform tenuto._raise('TN004', format('job %s is not in a current version of %s', left(p_name, 100), p_dag),
      format('cut over to a version of %s that has it', p_dag));
  end if;

  select c.* into v_pause from tenuto.job_controls c where c.org_id = p_org_id and c.job_key = job.job_key;
  if v_pause.paused_at is not null and not p_force then
    perform tenuto._raise('TN004',
      format('job %s of %s is paused%s', p_name, p_dag, coalesce(': ' || v_pause.pause_reason, '')),
      'resume the job, or trigger it with force');
  elsif v_pause.held_at is not null and not p_force then
    perform tenuto._raise('TN004',
      format('job %s of %s is held by backpressure: %s', p_name, p_dag, v_pause.hold_reason),
      'wait, or trigger it with force');
  end if;
end
$$;
