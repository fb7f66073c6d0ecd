-- Writes one audit entry per entity for the same action, each with the address, user agent and id of its own request.
-- Does the same as write_audit, but in one statement.
create or replace function tenuto._write_audits(
  p_org_id uuid, p_entity text, p_entity_ids text[], p_action text, p_actor_kind text, p_actor_id text,
  p_changes jsonb, p_ips text[], p_user_agents text[], p_request_ids text[])
  returns void
  language plpgsql
as $$
declare
  v_changes jsonb := tenuto._audit_changes(p_changes);
begin
  with entry as (
    insert into tenuto.audit_log (id, org_id, created_at, entity, entity_id, action, changes, actor_kind, actor_id, ip,
      user_agent, request_id)
    select tenuto._uuid7(), p_org_id, tenuto.now(), p_entity, unnest(p_entity_ids), p_action, v_changes,
           p_actor_kind, p_actor_id, left(unnest(p_ips), 64), left(unnest(p_user_agents), 512),
           left(unnest(p_request_ids), 128)
    returning id
  )
  insert into tenuto.audit_unsealed (id, org_id) select id, p_org_id from entry;
end
$$;
