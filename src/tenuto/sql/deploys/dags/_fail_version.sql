-- building -> failed: a task of the build ended without completing.
create or replace function tenuto._fail_version(p_org_id uuid, p_version_id uuid)
  returns void
  language sql
as $$
  update tenuto.dag_versions
  set status = 'failed'
  where org_id = p_org_id and id = p_version_id and status = 'building'
$$;
