-- Adds the datasets of a new DAG version, and a version of each. An existing dataset with the same name, or the old
-- name (renamed_from), is used again. An existing version with the same definition is used again too, unless it was
-- purged. Datasets that are stored in Postgres get their tables. Names and producers of existing datasets change only
-- at the cutover. Raises TN004 if a dataset of another DAG has one of the names.
create or replace function tenuto._register_datasets(p_org_id uuid, p_dag_id uuid, p_version_id uuid)
  returns void
  language plpgsql
as $$
declare
  v_taken record;
begin
  select w.name, d.name as dag into v_taken
  from tenuto._published_outputs(p_org_id, p_version_id) w
  join tenuto.datasets s
    on s.org_id = p_org_id and s.name = w.name and s.dag_id <> p_dag_id and s.deleted_at is null
  join tenuto.dags d on d.org_id = p_org_id and d.id = s.dag_id
  limit 1;
  if found then
    perform tenuto._raise('TN004', format('dataset %s belongs to the DAG %s', v_taken.name, v_taken.dag),
      'a dataset has one producer; choose another name');
  end if;

  insert into tenuto.datasets (id, org_id, name, dag_id, created_at, updated_at)
  select tenuto._uuid7(), p_org_id, w.name, p_dag_id, tenuto.now(), tenuto.now()
  from tenuto._published_outputs(p_org_id, p_version_id) w
  where w.dataset_id is null;

  insert into tenuto.dataset_versions
    (id, org_id, dataset_id, config_hash, schema_hash, storage, storage_location, created_at)
  select n.id, p_org_id, w.dataset_id, w.config_hash, w.schema_hash, w.storage, w.dataset_id || '/' || n.id || '/',
         tenuto.now()
  from tenuto._published_outputs(p_org_id, p_version_id) w
  cross join lateral (select tenuto._uuid7() as id where w.dataset_id is not null) n
  on conflict (org_id, dataset_id, config_hash, range_start, range_end) where purged_at is null do nothing;

  insert into tenuto.dag_version_datasets
    (org_id, dag_version_id, dataset_id, dataset_version_id, name, job_key, output)
  select p_org_id, p_version_id, w.dataset_id, v.id, w.name, w.job_key, w.output
  from tenuto._published_outputs(p_org_id, p_version_id) w
  join tenuto.dataset_versions v
    on v.org_id = p_org_id and v.dataset_id = w.dataset_id and v.config_hash = w.config_hash
   and v.range_start is null and v.purged_at is null
   and v.storage = w.storage and v.schema_hash is not distinct from w.schema_hash;

  if (select count(*) from tenuto._published_outputs(p_org_id, p_version_id))
     <> (select count(*) from tenuto.dag_version_datasets s
         where s.org_id = p_org_id and s.dag_version_id = p_version_id) then
    perform tenuto._raise('TN004', 'a dataset version with the same config_hash has other storage or columns');
  end if;
  perform tenuto._create_data_tables(p_org_id, p_version_id);
exception
  when unique_violation then
    perform tenuto._raise('TN004', 'another DAG added a dataset of the same name at the same time', 'deploy again');
end
$$;
