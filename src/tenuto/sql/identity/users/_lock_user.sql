-- Locks a user and returns their platform role. Raises TN001 if there is no such user, and TN009 if the user has
-- permissions that the caller (p_by_key or p_by_user; null: a database login) does not have.
create or replace function tenuto._lock_user(p_org_id uuid, p_user_id uuid, p_by_key uuid, p_by_user uuid)
  returns text
  language plpgsql
as $$
declare
  v_role text;
begin
  select u.platform_role into v_role
  from tenuto.users u
  where u.org_id = p_org_id and u.id = p_user_id
  for no key update;
  if not found then
    perform tenuto._raise('TN001', format('no user %s', p_user_id), 'list the users to see which exist');
  end if;
  perform tenuto._check_user_scope(p_org_id, v_role, p_by_key, p_by_user);
  return v_role;
end
$$;
