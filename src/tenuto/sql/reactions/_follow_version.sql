-- Replaces the backlogs, schedules and webhooks of a DAG by those of a version that becomes current. Part of the
-- cutover or rollback to this version.
create or replace function tenuto._follow_version(p_org_id uuid, p_dag_id uuid, p_version_id uuid)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._put_backlogs(p_org_id, p_dag_id, p_version_id);   -- first, as watch_backlogs locks backlogs first too
  perform tenuto._put_job_schedules(p_org_id, p_dag_id, p_version_id);
  perform tenuto._put_webhooks(p_org_id, p_dag_id, p_version_id);
end
$$;
