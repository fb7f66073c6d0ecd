-- staged | building -> ready: all datasets of the version are computed.
create or replace function tenuto._make_version_ready(p_org_id uuid, p_version_id uuid)
  returns void
  language sql
as $$
  update tenuto.dag_versions
  set status = 'ready'
  where org_id = p_org_id and id = p_version_id and status in ('staged', 'building')
$$;
