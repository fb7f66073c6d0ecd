-- Does what set_user_role does, without an entry in the audit log. put_user calls it, and records the whole change.
create or replace function tenuto._set_user_role(
  p_org_id uuid, p_user_id uuid, p_platform_role text, p_by_key uuid default null, p_by_user uuid default null)
  returns text
  language plpgsql
as $$
declare
  v_old text;
begin
  perform tenuto._check_platform_role(coalesce(p_platform_role, ''));
  v_old := tenuto._lock_user(p_org_id, p_user_id, p_by_key, p_by_user);
  perform tenuto._check_user_scope(p_org_id, p_platform_role, p_by_key, p_by_user);
  if p_by_user = p_user_id and v_old <> p_platform_role then
    perform tenuto._raise('TN004', 'you cannot change your own platform role', 'ask another admin of your org');
  end if;
  update tenuto.users set platform_role = p_platform_role where org_id = p_org_id and id = p_user_id;
  return v_old;
end
$$;
