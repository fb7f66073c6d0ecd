-- Deletes data objects that nothing references and that are older than p_keep. Returns them, so that the caller can
-- delete the files of their uris. An object that gets a reference meanwhile is locked by it and stays. p_keys: only
-- these objects, parked or not.
create or replace function tenuto.collect_objects(
  p_keep interval default '24 hours', p_limit int default 1000, p_keys text[] default null)
  returns table (id uuid, org_id uuid, uri text)
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('collect_objects', p_keys);
begin
  return query
  with loose as materialized (
    select o.id
    from tenuto.data_objects o
    where o.created_at < tenuto.now() - p_keep
      and not exists (select from tenuto.data_references r where r.org_id = o.org_id and r.object_id = o.id)
      and (p_keys is null or o.id = any (p_keys::uuid[]))
      and o.id <> all (v_parked)
    order by o.created_at
    limit p_limit
    for update skip locked
  )
  delete from tenuto.data_objects o
  using loose
  where o.id = loose.id
    and not exists (select from tenuto.data_references r where r.org_id = o.org_id and r.object_id = o.id)
  returning o.id, o.org_id, o.uri;
end
$$;
