-- Takes up to p_limit dataset versions whose folders have not been searched for uncommitted files for a day. Begins
-- with the versions that have waited longest. Only one dispatcher takes a version. Also takes versions that have only
-- rows in Postgres, and so no folder.
create or replace function tenuto.take_staging_checks(p_limit int default 20)
  returns table (org_id uuid, version_id uuid, storage_location text)
  language sql
as $$
  update tenuto.dataset_versions v
  set staging_checked_at = tenuto.now()
  from (
    select d.id
    from tenuto.dataset_versions d
    where d.purged_at is null
      and d.staging_checked_at < tenuto.now() - interval '1 day'
    order by d.staging_checked_at
    limit p_limit
    for update skip locked) d
  where v.id = d.id
  returning v.org_id, v.id, v.storage_location;
$$;
