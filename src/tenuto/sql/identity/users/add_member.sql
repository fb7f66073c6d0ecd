-- Gives a user a role of the org. Idempotent.
create or replace function tenuto.add_member(p_org_id uuid, p_role text, p_user_id uuid)
  returns void
  language plpgsql
as $$
declare
  v_role uuid;
begin
  select r.id into v_role from tenuto.org_roles r where r.org_id = p_org_id and r.name = p_role;
  if not found then
    perform tenuto._raise('TN001', format('no role %L', left(p_role, 100)));
  end if;
  if not exists (select from tenuto.users u where u.org_id = p_org_id and u.id = p_user_id) then
    perform tenuto._raise('TN001', format('no user %s', p_user_id));
  end if;
  insert into tenuto.org_role_memberships (org_id, role_id, user_id, created_at)
  values (p_org_id, v_role, p_user_id, tenuto.now())
  on conflict do nothing;
  perform tenuto._audit(p_org_id, 'role', p_role, 'add', jsonb_build_object('user', p_user_id));
end
$$;
