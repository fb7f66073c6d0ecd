-- Deletes data objects that have no references, are not persisted, and are older than p_keep. If p_keep is null, the
-- org's setting object_retention_hours is used (24 hours if it is not set). Returns the deleted objects, so that the
-- caller can delete the files at their uris. An object that gets a reference at the same time is not deleted, because
-- the transaction that adds the reference has locked the object. With p_keys, processes only these objects, even if
-- they are parked.
create or replace function tenuto.collect_objects(
  p_keep interval default null, p_limit int default 1000, p_keys text[] default null)
  returns table (id uuid, org_id uuid, uri text)
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('collect_objects', p_keys);
begin
  return query
  with loose as materialized (
    select o.org_id, o.id
    from tenuto.data_objects o
    join tenuto.orgs g on g.id = o.org_id
    where o.created_at < tenuto.now() - coalesce(p_keep, '1 hour')   -- the setting is at least 1 hour; uses the index
      and o.created_at < tenuto.now() - coalesce(p_keep, tenuto._hours_kept(g.settings, 'object_retention_hours'))
      and not o.persisted
      and not exists (select from tenuto.data_references r where r.org_id = o.org_id and r.object_id = o.id)
      and (p_keys is null or o.id = any (p_keys::uuid[]))
      and o.id <> all (v_parked)
    order by o.created_at
    limit p_limit
    for update of o skip locked
  )
  delete from tenuto.data_objects o
  using loose
  where o.org_id = loose.org_id
    and o.id = loose.id
    and not exists (select from tenuto.data_references r where r.org_id = o.org_id and r.object_id = o.id)
  returning o.id, o.org_id, o.uri;
end
$$;
