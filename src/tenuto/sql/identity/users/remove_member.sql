-- Takes a role of the org from a user. Raises TN001 if the user does not have it.
create or replace function tenuto.remove_member(p_org_id uuid, p_role text, p_user_id uuid)
  returns void
  language plpgsql
as $$
begin
  delete from tenuto.org_role_memberships m
  using tenuto.org_roles r
  where r.org_id = p_org_id
    and r.name = p_role
    and m.org_id = r.org_id
    and m.role_id = r.id
    and m.user_id = p_user_id;
  if not found then
    perform tenuto._raise('TN001', format('user %s does not have role %L', p_user_id, left(p_role, 100)));
  end if;
  perform tenuto._audit(p_org_id, 'role', p_role, 'remove', p_old => jsonb_build_object('user', p_user_id));
end
$$;
