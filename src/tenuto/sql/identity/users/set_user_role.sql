-- Sets a user's platform role (reader, writer or admin) and returns the old one. A caller (p_by_key or p_by_user; null:
-- a database login) needs the permissions of both roles, and cannot change its own role. Idempotent.
create or replace function tenuto.set_user_role(
  p_org_id uuid, p_user_id uuid, p_platform_role text, p_by_key uuid default null, p_by_user uuid default null)
  returns text
  language plpgsql
as $$
declare
  v_old text := tenuto._set_user_role(p_org_id, p_user_id, p_platform_role, p_by_key, p_by_user);
begin
  perform tenuto._audit(p_org_id, 'user', p_user_id::text, 'role',
    jsonb_build_object('platform_role', p_platform_role), jsonb_build_object('platform_role', v_old));
  return v_old;
end
$$;
