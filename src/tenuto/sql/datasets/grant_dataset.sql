-- Allows a role to read a dataset. Idempotent. A role is stored by its id: a role that is deleted and created again can
-- read nothing until it is granted again. Raises TN009 if the org sets wider_readers to deny and the role cannot read a
-- dataset from which this one is computed now.
create or replace function tenuto.grant_dataset(p_org_id uuid, p_name text, p_role text)
  returns void
  language plpgsql
as $$
declare
  v_role uuid := (select r.id from tenuto.org_roles r where r.org_id = p_org_id and r.name = p_role);
  v_source text;
begin
  if v_role is null then
    perform tenuto._raise('TN001', format('no role %s', left(p_role, 100)),
      'create the role first');
  end if;
  if tenuto._lock_readers(p_org_id) then
    select min(s.name) into v_source
    from tenuto.datasets d
    join tenuto.dag_current_versions c on c.org_id = p_org_id and c.dag_id = d.dag_id
    cross join lateral tenuto._version_sources(p_org_id, c.dag_version_id) e
    join tenuto.datasets s on s.org_id = p_org_id and s.id = e.source_id
    where d.org_id = p_org_id and d.name = p_name and e.dataset_id = d.id
      and v_role <> all (d.read_roles) and v_role <> all (s.read_roles);
    if v_source is not null then
      perform tenuto._raise('TN009',
        format('the org denies this grant: %s is computed from %s, which role %s cannot read', p_name, v_source,
          p_role),
        'let the role read the source first, or ask an admin to set wider_readers of the org to warn');
    end if;
  end if;
  -- This also removes the ids of deleted roles.
  update tenuto.datasets
  set read_roles = array(select r.id from tenuto.org_roles r
                         where r.org_id = p_org_id and (r.id = v_role or r.id = any (read_roles)) order by r.id),
      updated_at = tenuto.now()
  where org_id = p_org_id
    and name = p_name
    and deleted_at is null;
  if not found then
    perform tenuto._raise_no_dataset(p_org_id, p_name);
  end if;
  perform tenuto._audit(p_org_id, 'dataset', p_name, 'grant', jsonb_build_object('role', p_role));
end
$$;
