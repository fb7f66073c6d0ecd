-- Queues an OpenLineage job event for each job of a new version of a DAG.
create or replace function tenuto._emit_jobs(p_org_id uuid, p_dag text, p_version_id uuid)
  returns void
  language sql
as $$
  select tenuto._emit_events(p_org_id, array_agg('job:' || j.id order by j.id),
           array_agg(jsonb_build_object('job_id', j.id, 'dag', p_dag, 'job', j.name) order by j.id),
           array_agg(jsonb_build_array(jsonb_build_object('type', 'JOB', 'at', tenuto.now())) order by j.id))
  from tenuto.jobs j
  where j.org_id = p_org_id and j.dag_version_id = p_version_id and tenuto._emits_lineage(p_org_id)
  having count(*) > 0;
$$;
