-- Returns the DAG of the job or DAG version for which an effect of kind route_event routes events that waited. Returns
-- null if the effect routes new events, or if this job or DAG version does not exist.
create or replace function tenuto._paused_dag(p_effect tenuto.outbox)
  returns uuid
  language sql
  stable
as $$
  select v.dag_id
  from tenuto.dag_versions v
  where v.org_id = p_effect.org_id and v.id = (p_effect.payload ->> 'version')::uuid
  union all
  select k.dag_id
  from tenuto.job_controls k
  where k.org_id = p_effect.org_id and k.job_key = (p_effect.payload ->> 'job')::uuid;
$$;
