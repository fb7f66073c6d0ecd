-- Returns the name under which the operator state of a running attempt is stored. For a task that does not belong to a
-- job, this is the type of the task. For a task of a job, it is the key of the job and the dataset version of its first
-- output (or, if no output has a dataset version, the hash of the job's definition). So a DAG version with the same
-- definition of the job continues with the job's state, and a DAG version with another definition begins without state.
-- After a rollback, the earlier state is used again.
create or replace function tenuto._state_owner(p_running tenuto.running_tasks)
  returns text
  language plpgsql
  stable
as $$
begin
  if not tenuto._is_job_task(p_running.flags) then
    return (select o.type from tenuto.routes o where o.id = p_running.route_id);
  end if;
  return (
    select j.job_key || '/' || coalesce(s.dataset_version_id::text, j.config_hash)
    from tenuto.job_tasks j
    left join lateral (
      select s.dataset_version_id
      from tenuto.dag_version_datasets s
      where s.org_id = j.org_id and s.dag_version_id = j.dag_version_id and s.job_key = j.job_key
      order by s.output
      limit 1) s on true
    where j.task_id = p_running.id);
end
$$;
