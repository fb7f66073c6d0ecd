-- Returns a page of the org's destinations in the order of their names, starting after the name p_after, without their
-- secrets.
create or replace function tenuto.list_destinations(p_org_id uuid, p_after text default null, p_limit int default 50)
  returns table (name text, url text, created_at timestamptz, updated_at timestamptz, openlineage boolean)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select d.name, d.url, d.created_at, d.updated_at, d.openlineage
  from tenuto.destinations d
  where d.org_id = p_org_id and (p_after is null or d.name > p_after)
  order by d.name
  limit p_limit;
end
$$;
