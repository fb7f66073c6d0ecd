-- Writes an audit entry: an actor did an action to an entity. p_changes is {field: {"old": …, "new": …}}. Called in the
-- transaction of the action, so that the entry and the action are committed together. seal_audit sets the entry's
-- position in the chain later.
create or replace function tenuto.write_audit(
  p_org_id uuid, p_entity text, p_entity_id text, p_action text, p_actor_kind text, p_actor_id text,
  p_changes jsonb default '{}', p_ip text default null, p_user_agent text default null, p_request_id text default null)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid := tenuto._uuid7();
begin
  insert into tenuto.audit_log (id, org_id, created_at, entity, entity_id, action, changes, actor_kind, actor_id, ip,
    user_agent, request_id)
  values (v_id, p_org_id, tenuto.now(), p_entity, p_entity_id, p_action, tenuto._audit_changes(p_changes),
          p_actor_kind, p_actor_id, left(p_ip, 64), left(p_user_agent, 512), left(p_request_id, 128));
  insert into tenuto.audit_unsealed (id, org_id) values (v_id, p_org_id);
  return v_id;
end
$$;
