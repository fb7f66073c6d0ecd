-- Returns the DAG whose paused events an effect of kind route_event routes. Null if the effect routes new events, or if
-- the DAG was deleted.
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
