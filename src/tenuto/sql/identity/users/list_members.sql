-- Returns a page of the users with a role, in the order of their ids, starting after the id p_after. Raises TN001 if
-- there is no such role.
create or replace function tenuto.list_members(
  p_org_id uuid, p_role text, p_after uuid default null, p_limit int default 50)
  returns table (user_id uuid, email text, name text, since timestamptz)
  language plpgsql
  stable
as $$
declare
  v_role uuid;
begin
  perform tenuto._check_page(p_limit);
  select r.id into v_role from tenuto.org_roles r where r.org_id = p_org_id and r.name = p_role;
  if not found then
    perform tenuto._raise('TN001', format('no role %L', left(p_role, 100)));
  end if;
  return query
  select u.id, u.email, u.name, m.created_at
  from tenuto.org_role_memberships m
  join tenuto.users u on u.org_id = m.org_id and u.id = m.user_id
  where m.org_id = p_org_id and m.role_id = v_role and (p_after is null or m.user_id > p_after)
  order by m.user_id
  limit p_limit;
end
$$;
