-- Returns a page of the org's resource groups in the order of their external ids, starting after the external id
-- p_after.
create or replace function tenuto.list_groups(p_org_id uuid, p_after text default null, p_limit int default 50)
  returns table (id uuid, external_id text, weight int, quota int, created_at timestamptz)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select g.id, g.external_id, g.weight, g.quota, g.created_at
  from tenuto.resource_groups g
  where g.org_id = p_org_id and g.deleted_at is null and (p_after is null or g.external_id > p_after)
  order by g.external_id
  limit p_limit;
end
$$;
