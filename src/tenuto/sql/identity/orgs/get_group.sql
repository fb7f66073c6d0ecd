-- Returns a resource group. Raises TN001 if there is none with this external id.
create or replace function tenuto.get_group(p_org_id uuid, p_external_id text)
  returns table (id uuid, external_id text, weight int, quota int, created_at timestamptz)
  language plpgsql
  stable
as $$
begin
  return query
  select g.id, g.external_id, g.weight, g.quota, g.created_at
  from tenuto.resource_groups g
  where g.org_id = p_org_id and g.external_id = p_external_id and g.deleted_at is null;
  if not found then
    perform tenuto._raise('TN001', format('no resource group %s', left(p_external_id, 256)),
      'list the groups to see which exist');
  end if;
end
$$;
