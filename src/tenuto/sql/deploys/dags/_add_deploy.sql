-- Adds an entry to the history of deploys: a deploy, cutover, rollback or deletion, from one version to another.
create or replace function tenuto._add_deploy(
  p_org_id uuid, p_dag_id uuid, p_action text, p_from uuid, p_to uuid, p_actor text, p_plan jsonb)
  returns void
  language sql
as $$
  insert into tenuto.deploy_history
    (id, org_id, dag_id, action, from_version_id, to_version_id, plan, created_by, created_at)
  values (tenuto._uuid7(), p_org_id, p_dag_id, p_action, p_from, p_to, p_plan, p_actor, tenuto.now())
$$;
