-- staged | failed -> building: the version has datasets to compute before it can become current.
create or replace function tenuto._begin_build(p_org_id uuid, p_version_id uuid)
  returns void
  language sql
as $$
  update tenuto.dag_versions
  set status = 'building'
  where org_id = p_org_id and id = p_version_id and status in ('staged', 'failed')
$$;
