-- Returns the names of the roles that a user has in the org.
create or replace function tenuto._user_roles(p_org_id uuid, p_user_id uuid)
  returns text[]
  language sql
  stable
as $$
  select coalesce(array_agg(r.name order by r.name), '{}')
  from tenuto.org_role_memberships m
  join tenuto.org_roles r on r.org_id = m.org_id and r.id = m.role_id
  where m.org_id = p_org_id and m.user_id = p_user_id;
$$;
