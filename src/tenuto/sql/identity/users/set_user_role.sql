-- Sets a user's platform role: reader, writer or admin.
create or replace function tenuto.set_user_role(p_org_id uuid, p_user_id uuid, p_platform_role text)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._check_platform_role(coalesce(p_platform_role, ''));
  update tenuto.users set platform_role = p_platform_role where org_id = p_org_id and id = p_user_id;
  if not found then
    perform tenuto._raise('TN001', format('no user %s', p_user_id));
  end if;
end
$$;
