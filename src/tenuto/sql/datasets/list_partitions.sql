-- Returns a page of the committed partitions of a dataset in the order of their keys, starting after the key p_after.
-- Without p_version_id, these are the partitions of the current version; no rows if no version is current. Data without
-- a partition has a null key. Raises TN001 for a version that the dataset does not have.
create or replace function tenuto.list_partitions(
  p_org_id uuid, p_name text, p_version_id uuid default null, p_after text default null, p_limit int default 50)
  returns table (partition text, version_id uuid, id uuid, task_id uuid, attempt int, location text, rows bigint,
    bytes bigint, fingerprint text, schema_hash text, checks jsonb, input_versions jsonb, committed_at timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_dataset record;
begin
  perform tenuto._check_page(p_limit);
  select d.id, d.version_id into v_dataset from tenuto.get_dataset(p_org_id, p_name) d;
  if p_version_id is not null and not exists (
    select from tenuto.dataset_versions v
    where v.org_id = p_org_id and v.id = p_version_id and v.dataset_id = v_dataset.id
  ) then
    perform tenuto._raise('TN001', format('dataset %s has no version %s', p_name, p_version_id),
      'list its versions to see which exist');
  end if;

  return query
  select nullif(c.partition_key, ''), c.dataset_version_id, v.id, v.task_id, v.attempt, v.location, v.rows, v.bytes,
         v.fingerprint, v.schema_hash, v.checks, v.inputs, v.committed_at
  from (
    select c.*
    from tenuto.current_partitions c
    where c.org_id = p_org_id
      and c.dataset_version_id = coalesce(p_version_id, v_dataset.version_id)
      and (p_after is null or c.partition_key > p_after)
    order by c.partition_key
    limit p_limit) c
  join tenuto.partition_versions v on v.org_id = c.org_id and v.id = c.partition_version_id
  order by c.partition_key;
end
$$;
