-- Returns since when a DAG version may have missed events: since its deploy, if it was current and another version
-- replaced it; else null. While a version is current or can become current, its jobs get a reaction to each event. An
-- event without a reaction was routed after the version had been replaced, even if it arrived earlier.
create or replace function tenuto._missed_since(p_org_id uuid, p_dag_version_id uuid)
  returns timestamptz
  language sql
  stable
as $$
  select v.created_at
  from tenuto.dag_versions v
  where v.org_id = p_org_id and v.id = p_dag_version_id
    and exists (
      select from tenuto.deploy_history l
      where l.org_id = p_org_id and l.from_version_id = p_dag_version_id and l.action <> 'deploy');
$$;
