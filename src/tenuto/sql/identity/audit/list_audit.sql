-- Returns a page of the org's audit entries, newest first, before an id.
create or replace function tenuto.list_audit(
  p_org_id uuid, p_entity text default null, p_entity_id text default null, p_action text default null,
  p_actor_id text default null, p_before uuid default null, p_limit int default 50)
  returns table (
    id uuid, created_at timestamptz, entity text, entity_id text, action text, changes jsonb, actor_kind text,
    actor_id text, actor_name text, ip text, user_agent text, request_id text, seq bigint)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select a.id, a.created_at, a.entity, a.entity_id, a.action, a.changes, a.actor_kind, a.actor_id,
         tenuto._actor_name(p_org_id, a.actor_kind, a.actor_id), a.ip, a.user_agent, a.request_id, a.seq
  from tenuto.audit_log a
  where a.org_id = p_org_id
    and (p_before is null or a.id < p_before)
    and (p_entity is null or a.entity = p_entity)
    and (p_entity_id is null or a.entity_id = p_entity_id)
    and (p_action is null or a.action = p_action)
    and (p_actor_id is null or a.actor_id = p_actor_id)
  order by a.id desc
  limit p_limit;
end
$$;
