-- Somebody did something to something. p_changes is {field: {"old": …, "new": …}}. Called in the transaction that does it,
-- so that there is neither one without the other; seal_audit gives the entry its place in the chain.
create or replace function tenuto.write_audit(
  p_org_id uuid, p_entity text, p_entity_id text, p_action text, p_actor_kind text, p_actor_id text,
  p_changes jsonb default '{}', p_ip text default null, p_user_agent text default null, p_request_id text default null)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid := tenuto._uuid7();
  v_wrong text;
  v_changes jsonb := p_changes;
  v_text text := p_changes::text;
begin
  if jsonb_typeof(p_changes) is distinct from 'object' then
    perform tenuto._raise('TN003', 'changes are not a JSON object', 'write {"field": {"old": 1, "new": 2}}');
  end if;
  if jsonb_path_exists(p_changes, 'strict $.* ? (@.type() != "object")')
     or jsonb_path_exists(p_changes, '$.*.keyvalue() ? (@.key != "old" && @.key != "new")') then
    select c.key into v_wrong
    from jsonb_each(p_changes) c
    where jsonb_typeof(c.value) <> 'object' or (c.value - 'old' - 'new') <> '{}'
    limit 1;
    perform tenuto._raise('TN003', format('the change of %L is not an old and a new value', left(v_wrong, 100)), 'write {"field": {"old": 1, "new": 2}}');
  end if;

  -- Only what is long, or holds a word that _without_secrets looks for, is looked at piece by piece: it costs a third of all this.
  if octet_length(v_text) > 1024
     or v_text ~* 'secret|passw|token|hash|bcrypt|pepper|credential|authorization|cookie|key|tnw?_' then
    select coalesce(jsonb_object_agg(c.key, (select jsonb_object_agg(v.key, tenuto._audit_value(c.key, v.value)) from jsonb_each(c.value) v)), '{}')
    into v_changes
    from jsonb_each(p_changes) c;
  end if;
  insert into tenuto.audit_log (id, org_id, created_at, entity, entity_id, action, changes, actor_kind, actor_id, ip, user_agent, request_id)
  values (v_id, p_org_id, tenuto.now(), p_entity, p_entity_id, p_action, v_changes,
          p_actor_kind, p_actor_id, left(p_ip, 64), left(p_user_agent, 512), left(p_request_id, 128));
  insert into tenuto.audit_unsealed (id, org_id) values (v_id, p_org_id);
  return v_id;
end
$$;
