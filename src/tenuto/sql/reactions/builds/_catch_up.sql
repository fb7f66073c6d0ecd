-- Plans the work of a DAG version that has become current: partitions that changed while another version was current,
-- and tasks that a rollback cancelled or that failed in the build. Data that is computed already stays as it is. Jobs
-- that append, or that run for every update, get the events that they missed or that waited for the version. If there
-- are many such events, this takes several calls. The build also waits for cancelled tasks that still run.
create or replace function tenuto._catch_up(p_build tenuto.builds)
  returns void
  language plpgsql
as $$
declare
  v_piece int := 5000;
begin
  if tenuto._add_missed_events(p_build, v_piece) = v_piece then
    update tenuto.builds set due_at = tenuto.now() where dag_version_id = p_build.dag_version_id;
    return;
  end if;
  perform tenuto._join_build(p_build.org_id, p_build.dag_version_id,
    tenuto._stopping_tasks(p_build.org_id, p_build.dag_version_id));
  perform tenuto._resume_version(p_build);
  insert into tenuto.build_inputs (dag_version_id, job_id, input, org_id, dataset_version_id)
  select p_build.dag_version_id, i.job_id, i.input, p_build.org_id, i.dataset_version_id
  from tenuto._list_build_inputs(p_build.org_id, p_build.dag_version_id, p_build.replaced) i
  join tenuto.jobs j on j.org_id = p_build.org_id and j.id = i.job_id
  where i.input >= 0
    and j.definition ->> 'execution_strategy' = 'PerPartition'
    and j.definition ->> 'update_strategy' = 'replace'
  on conflict do nothing;
  update tenuto.builds
  set phase = 'retry', due_at = tenuto.now()
  where dag_version_id = p_build.dag_version_id;
end
$$;
