-- Marks datasets as deleted and purges all of their versions. The caller has locked the datasets and their DAG. Their
-- names can be used again. Their rows stay, because lineage and DAG versions refer to them.
create or replace function tenuto._delete_datasets(p_org_id uuid, p_ids uuid[])
  returns void
  language plpgsql
as $$
declare
  v_versions uuid[] := array(
    select v.id
    from tenuto.dataset_versions v
    where v.org_id = p_org_id and v.dataset_id = any (p_ids) and v.purged_at is null
    order by v.id);
begin
  perform tenuto._emit_datasets(p_org_id, array_agg(d.id order by d.id),
    array_agg(jsonb_build_object('name', d.name, 'version_id', null, 'old_name', d.name,
      'old_version_id', d.current_version_id) order by d.id))
  from tenuto.datasets d
  where d.org_id = p_org_id and d.id = any (p_ids) and d.current_version_id is not null
  having count(*) > 0;
  update tenuto.datasets
  set deleted_at = tenuto.now(), current_version_id = null, job_key = null, output = null, read_roles = '{}',
      updated_at = tenuto.now()
  where org_id = p_org_id and id = any (p_ids) and deleted_at is null;
  delete from tenuto.dataset_cursors where org_id = p_org_id and dataset_version_id = any (v_versions);
  if v_versions <> '{}' then
    perform tenuto._purge_versions(p_org_id, v_versions);
  end if;
end
$$;
