-- Raises TN009 if a platform role has permissions that the caller does not have. The caller wants to create or change a
-- user with this role. It is the API key p_by_key or the user p_by_user. If both are null, it is a database login,
-- which is not limited.
create or replace function tenuto._check_user_scope(
  p_org_id uuid, p_platform_role text, p_by_key uuid, p_by_user uuid)
  returns void
  language plpgsql
  stable
as $$
declare
  v_granted text[];
begin
  if p_by_key is not null then
    select k.permissions into v_granted from tenuto.api_keys k where k.org_id = p_org_id and k.id = p_by_key;
  elsif p_by_user is not null then
    select tenuto._role_permissions(u.platform_role)
    into v_granted
    from tenuto.users u
    where u.org_id = p_org_id and u.id = p_by_user;
  else
    return;
  end if;
  if not found then
    perform tenuto._raise('TN001', format('no API key or user %s', coalesce(p_by_key, p_by_user)));
  end if;
  if exists (
    select
    from unnest(tenuto._role_permissions(p_platform_role)) p(permission)
    where not v_granted && array[p.permission, split_part(p.permission, ':', 1) || ':*', '*']) then
    perform tenuto._raise('TN009', format('the platform role %s has permissions that you do not have', p_platform_role),
      'ask an admin of your org');
  end if;
end
$$;
