-- Deletes the rows that describe the partitions, commits and row sets of a purged dataset version, up to p_limit per
-- table. Returns how many rows were deleted; 0 if nothing is left.
create or replace function tenuto.delete_partitions(p_org_id uuid, p_version_id uuid, p_limit int default 5000)
  returns bigint
  language sql
as $$
  with version as (
    select v.org_id, v.id
    from tenuto.dataset_versions v
    where v.org_id = p_org_id and v.id = p_version_id and v.purged_at is not null
  ), pointers as (
    delete from tenuto.current_partitions c
    using (
      select k.partition_key
      from version v
      join tenuto.current_partitions k on k.org_id = v.org_id and k.dataset_version_id = v.id
      order by k.partition_key
      limit p_limit) k
    where c.org_id = p_org_id and c.dataset_version_id = p_version_id and c.partition_key = k.partition_key
    returning 1
  ), commits as (
    delete from tenuto.partition_versions p
    where p.org_id = p_org_id
      and p.id in (
        select k.id
        from version v
        join tenuto.partition_versions k on k.org_id = v.org_id and k.dataset_version_id = v.id
        order by k.partition_key, k.id
        limit p_limit)
    returning 1
  ), row_sets as (
    delete from tenuto.row_sets r
    where r.id in (
      select k.id
      from version v
      join tenuto.row_sets k on k.org_id = v.org_id and k.dataset_version_id = v.id
      order by k.id
      limit p_limit)
    returning 1
  )
  select (select count(*) from pointers) + (select count(*) from commits) + (select count(*) from row_sets)
$$;
