-- Deletes data objects that nothing references and that are older than p_keep. Answers what was deleted, so that the
-- caller can delete what their uris name. An object that gets a reference meanwhile is locked by it and stays.
create or replace function tenuto.collect_objects(p_keep interval default '24 hours', p_limit int default 1000)
  returns table (id uuid, org_id uuid, uri text)
  language plpgsql
as $$
begin
  return query
  with loose as materialized (
    select o.id
    from tenuto.data_objects o
    where o.created_at < tenuto.now() - p_keep
      and not exists (select from tenuto.data_references r where r.org_id = o.org_id and r.object_id = o.id)
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
