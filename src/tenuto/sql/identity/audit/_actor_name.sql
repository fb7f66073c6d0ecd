-- Returns the current name of an API key, worker key or user of the org; null for other actors, and for callers that
-- cannot read keys. The audit log stores ids, which do not change.
create or replace function tenuto._actor_name(p_org_id uuid, p_kind text, p_id text)
  returns text
  language plpgsql
  stable
as $$
begin
  if p_id !~ '^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$'
     or not has_column_privilege('tenuto.api_keys', 'name', 'select') then
    return null;
  end if;
  return case p_kind
    when 'api_key' then (select k.name from tenuto.api_keys k where k.org_id = p_org_id and k.id = p_id::uuid)
    when 'worker_key' then (select k.name from tenuto.worker_keys k where k.org_id = p_org_id and k.id = p_id::uuid)
    when 'user' then (
      select coalesce(u.name, u.email, u.subject) from tenuto.users u where u.org_id = p_org_id and u.id = p_id::uuid)
  end;
end
$$;
