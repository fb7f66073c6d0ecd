-- Lets a role read a dataset. Idempotent. A role is stored by its id: a role that is deleted and created again can read
-- nothing until it is granted again.
create or replace function tenuto.grant_dataset(p_org_id uuid, p_name text, p_role text)
  returns void
  language plpgsql
as $$
declare
  v_role uuid := (select r.id from tenuto.org_roles r where r.org_id = p_org_id and r.name = p_role);
begin
  if v_role is null then
    perform tenuto._raise('TN001', format('no role %s', left(p_role, 100)),
      format('create it with tenuto roles create %s', left(p_role, 100)));
  end if;
  -- Ids of deleted roles are left out on the way.
  update tenuto.datasets
  set read_roles = array(select r.id from tenuto.org_roles r
                         where r.org_id = p_org_id and (r.id = v_role or r.id = any (read_roles)) order by r.id),
      updated_at = tenuto.now()
  where org_id = p_org_id
    and name = p_name;
  if not found then
    perform tenuto._raise('TN001', format('no dataset %s', left(p_name, 128)), 'tenuto datasets list shows them');
  end if;
  perform tenuto._audit(p_org_id, 'dataset', p_name, 'grant', jsonb_build_object('role', p_role));
end
$$;
