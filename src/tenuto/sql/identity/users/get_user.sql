-- Returns a user with their roles. Raises TN001 if there is none with this id.
create or replace function tenuto.get_user(p_org_id uuid, p_user_id uuid)
  returns table (
    id uuid, issuer text, subject text, email text, name text, platform_role text, roles text[],
    created_at timestamptz, disabled_at timestamptz)
  language plpgsql
  stable
as $$
begin
  return query
  select u.id, u.issuer, u.subject, u.email, u.name, u.platform_role, tenuto._user_roles(u.org_id, u.id), u.created_at,
         u.disabled_at
  from tenuto.users u
  where u.org_id = p_org_id and u.id = p_user_id;
  if not found then
    perform tenuto._raise('TN001', format('no user %s', p_user_id), 'list the users to see which exist');
  end if;
end
$$;
