-- Records, in the transaction of the call, that a client with a database connection did p_action to an entity. The
-- audit entry names the client's login, its address and its application. p_changes and p_old are {field: value}: the
-- values after and before the call; nulls are left out. Records nothing if a server calls: the server writes its audit
-- entries itself, for the API key or user of the request. A login counts as a server if tenuto_api is its only role
-- (process_role.py).
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
