-- Returns the folder of a purged version of a dataset; null if there is no such version. The data in the folder can be
-- deleted now. Raises TN004 if an unfinished task of a job reads or writes the version.
create or replace function tenuto.find_purged_data(p_org_id uuid, p_version_id uuid)
  returns text
  language plpgsql
  stable
as $$
begin
  perform tenuto._versions_in_use(p_org_id, array[p_version_id]);
  if found then
    perform tenuto._raise('TN004', format('a task still uses version %s of a dataset', p_version_id));
  end if;
  return (
    select v.storage_location
    from tenuto.dataset_versions v
    where v.org_id = p_org_id and v.id = p_version_id and v.purged_at is not null);
end
$$;
