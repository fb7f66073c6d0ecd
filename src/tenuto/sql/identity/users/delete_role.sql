-- Deletes a role and its memberships. Raises TN001 if there is no such role.
create or replace function tenuto.delete_role(p_org_id uuid, p_name text)
  returns void
  language plpgsql
as $$
begin
  delete from tenuto.org_roles where org_id = p_org_id and name = p_name;
  if not found then
    perform tenuto._raise('TN001', format('no role %L', left(p_name, 100)));
  end if;
  perform tenuto._audit(p_org_id, 'role', p_name, 'delete');
end
$$;
