-- Returns a page of versions of a dataset, newest first, starting before the id p_before. Each has the versions of its
-- DAG that use it.
create or replace function tenuto.list_dataset_versions(
  p_org_id uuid, p_name text, p_before uuid default null, p_limit int default 50)
  returns table (id uuid, dataset text, config_hash text, schema_hash text, storage jsonb, storage_location text,
    is_current boolean, dag_versions int[], created_at timestamptz, purged_at timestamptz)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  perform tenuto.get_dataset(p_org_id, p_name);
  return query
  select v.id, s.name, v.config_hash, v.schema_hash, v.storage, v.storage_location,
         v.id is not distinct from s.current_version_id,
         array(select g.version
               from tenuto.dag_version_datasets m
               join tenuto.dag_versions g on g.org_id = m.org_id and g.id = m.dag_version_id
               where m.org_id = v.org_id and m.dataset_version_id = v.id
               order by g.version),
         v.created_at, v.purged_at
  from tenuto.datasets s
  join tenuto.dataset_versions v on v.org_id = s.org_id and v.dataset_id = s.id
  where s.org_id = p_org_id and s.name = p_name and s.deleted_at is null
    and (p_before is null or v.id < p_before)
  order by v.id desc
  limit p_limit;
end
$$;
