-- Returns the locations among p_locations whose data will not be used: no commit of the dataset version has the
-- location, and the attempt that wrote it no longer runs. The last folder of the location names that attempt; the
-- caller passes it in p_task_ids and p_attempts. Both conditions are read in one snapshot.
create or replace function tenuto.find_uncommitted(
  p_org_id uuid, p_version_id uuid, p_locations text[], p_task_ids uuid[], p_attempts int[])
  returns setof text
  language sql
  stable
as $$
  select l.location
  from unnest(p_locations, p_task_ids, p_attempts) as l(location, task_id, attempt)
  where not exists (
      select from tenuto.partition_versions p
      where p.org_id = p_org_id and p.task_id = l.task_id and p.dataset_version_id = p_version_id
        and p.location = l.location)
    and not exists (
      select from tenuto.running_tasks r
      where r.id = l.task_id and r.attempt = l.attempt);
$$;
