-- Returns a page of the org's audit entries, newest first, starting before the id p_before. p_since, p_until: only
-- entries written at or after p_since and before p_until. p_ip: only entries of clients with this address. Includes
-- calls that _audit has recorded and seal_audit has not moved to the log yet; these have no position.
create or replace function tenuto.list_audit(
  p_org_id uuid, p_entity text default null, p_entity_id text default null, p_action text default null,
  p_actor_id text default null, p_before uuid default null, p_limit int default 50,
  p_since timestamptz default null, p_until timestamptz default null, p_ip text default null)
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
  select e.id, e.created_at, e.entity, e.entity_id, e.action, e.changes, e.actor_kind, e.actor_id,
         tenuto._actor_name(p_org_id, e.actor_kind, e.actor_id), e.ip, e.user_agent, e.request_id, e.seq
  from (
    (select a.id, a.created_at, a.entity, a.entity_id, a.action, a.changes, a.actor_kind, a.actor_id, a.ip,
            a.user_agent, a.request_id, a.seq
     from tenuto.audit_log a
     where a.org_id = p_org_id
       and (p_before is null or a.id < p_before)
       and (p_entity is null or a.entity = p_entity)
       and (p_entity_id is null or a.entity_id = p_entity_id)
       and (p_action is null or a.action = p_action)
       and (p_actor_id is null or a.actor_id = p_actor_id)
       and (p_since is null or a.id >= tenuto._uuid7_floor(p_since))
       and (p_until is null or a.id < tenuto._uuid7_floor(p_until))
       and (p_ip is null or a.ip = p_ip)
     order by a.id desc
     limit p_limit)
    union all
    (select r.id, r.created_at, tenuto._arrived_word(r.entity), tenuto._arrived_id(r.entity_id),
            tenuto._arrived_word(r.action), tenuto._arrived_changes(r.changes, r.old), 'login',
            r.login, r.ip, r.application, null, null
     from tenuto.audit_arrivals r
     where r.org_id = p_org_id
       and (p_before is null or r.id < p_before)
       and (p_entity is null or r.entity = p_entity)
       and (p_entity_id is null or r.entity_id = p_entity_id)
       and (p_action is null or r.action = p_action)
       and (p_actor_id is null or r.login = p_actor_id)
       and (p_since is null or r.id >= tenuto._uuid7_floor(p_since))
       and (p_until is null or r.id < tenuto._uuid7_floor(p_until))
       and (p_ip is null or r.ip = p_ip)
     order by r.id desc
     limit p_limit)
  ) e
  order by e.id desc
  limit p_limit;
end
$$;
