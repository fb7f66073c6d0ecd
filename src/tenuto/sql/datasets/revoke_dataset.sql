-- Revokes the right of a role to read a dataset. Idempotent. If no role is left, only admins can read it.
create or replace function tenuto.revoke_dataset(p_org_id uuid, p_name text, p_role text)
  returns void
  language plpgsql
as $$
begin
  update tenuto.datasets
  set read_roles = array(select r.id from tenuto.org_roles r
                         where r.org_id = p_org_id and r.name <> p_role and r.id = any (read_roles) order by r.id),
      updated_at = tenuto.now()
  where org_id = p_org_id
    and name = p_name
    and deleted_at is null;
  if not found then
    perform tenuto._raise_no_dataset(p_org_id, p_name);
  end if;
  perform tenuto._audit(p_org_id, 'dataset', p_name, 'revoke', p_old => jsonb_build_object('role', p_role));
end
$$;
