-- Marks a DAG as deleted: no version of it is current or can become current, and the pauses and backlogs of its jobs
-- are deleted. Its rows stay, because tasks and the history of deploys refer to them. Returns the version that was
-- current.
create or replace function tenuto._close_dag(p_org_id uuid, p_dag_id uuid)
  returns uuid
  language plpgsql
as $$
declare
  v_current uuid;
begin
  update tenuto.dags
  set deleted_at = tenuto.now()
  where org_id = p_org_id and id = p_dag_id and deleted_at is null;
  delete from tenuto.dag_current_versions
  where org_id = p_org_id and dag_id = p_dag_id
  returning dag_version_id into v_current;
  update tenuto.dag_versions
  set status = case status when 'current' then 'superseded' else 'failed' end
  where org_id = p_org_id and dag_id = p_dag_id and status in ('building', 'ready', 'current');
  update tenuto.job_controls
  set paused_at = null, pause_reason = null, held_at = null, hold_reason = null
  where org_id = p_org_id and dag_id = p_dag_id and (paused_at is not null or held_at is not null);
  delete from tenuto.job_backlogs b
  using tenuto.job_controls c
  where c.org_id = p_org_id and c.dag_id = p_dag_id and b.org_id = c.org_id and b.job_key = c.job_key;
  return v_current;
end
$$;
