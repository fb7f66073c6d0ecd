-- Returns a data object with the addresses of the workers that have it. Raises TN001 if it does not exist.
create or replace function tenuto.get_object(p_org_id uuid, p_object_id uuid)
  returns table (
    id uuid, type text, uri text, payload bytea, size bigint, checksum text, metadata jsonb, created_at timestamptz,
    addresses text[], hard boolean, persisted boolean)
  language plpgsql
  stable
as $$
begin
  return query
  select o.id, o.type, o.uri, o.payload, o.size, o.checksum, o.metadata, o.created_at,
         array(
           select l.address
           from tenuto.data_locality l
           where l.org_id = o.org_id and l.object_id = o.id
           order by l.address),
         exists (select from tenuto.data_locality l where l.org_id = o.org_id and l.object_id = o.id and l.hard),
         o.persisted
  from tenuto.data_objects o
  where o.org_id = p_org_id and o.id = p_object_id;
  if not found then
    perform tenuto._raise('TN001', format('no data object %s', p_object_id));
  end if;
end
$$;
