-- Records a call of a direct client for the audit log, in its transaction: the login, its address and its application
-- did p_action to an entity. p_changes and p_old are {field: value}, the values after and before the call; nulls are
-- left out. Records nothing for a server: it writes entries itself, for the API key or user. A server has the rights of
-- tenuto_api alone (process_role.py).
create or replace function tenuto._audit(
  p_org_id uuid, p_entity text, p_entity_id text, p_action text, p_changes jsonb default '{}',
  p_old jsonb default null)
  returns void
  language plpgsql
as $$
begin
  if pg_has_role('tenuto_api', 'usage')
     and not pg_has_role('tenuto_client', 'usage')
     and not pg_has_role('tenuto_worker', 'usage')
     and not pg_has_role('tenuto_dispatcher', 'usage') then
    return;
  end if;
  insert into tenuto.audit_arrivals (org_id, entity, entity_id, action, changes, old)
  values (p_org_id, p_entity, p_entity_id, p_action, p_changes, p_old);
end
$$;
