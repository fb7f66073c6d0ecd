-- Returns a page of the org's roles in the order of their names, starting after the name p_after. Each has the number
-- of its members.
create or replace function tenuto.list_roles(p_org_id uuid, p_after text default null, p_limit int default 50)
  returns table (id uuid, name text, description text, members bigint, created_at timestamptz,
    display_name text)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select r.id, r.name, r.description,
         (select count(*) from tenuto.org_role_memberships m where m.org_id = r.org_id and m.role_id = r.id),
         r.created_at, coalesce(r.display_name, r.name)
  from tenuto.org_roles r
  where r.org_id = p_org_id and (p_after is null or r.name > p_after)
  order by r.name
  limit p_limit;
end
$$;
