-- Stores a data object and returns its id. The object is a payload up to 1 MB, or the uri of a file stored elsewhere.
-- It has no references yet: unless it is persisted, collect_objects may delete it a day later (or after
-- object_retention_hours).
create or replace function tenuto.put_object(
  p_org_id uuid, p_type text, p_payload bytea default null, p_uri text default null, p_size bigint default null,
  p_checksum text default null, p_metadata jsonb default null, p_id uuid default null,
  p_persisted boolean default false)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid := coalesce(p_id, tenuto._uuid7());
  v_size bigint := coalesce(p_size, octet_length(p_payload), 0);
  v_max bigint := (select (o.settings ->> 'max_object_bytes')::bigint from tenuto.orgs o where o.id = p_org_id);
begin
  if num_nonnulls(p_payload, p_uri) <> 1 then
    perform tenuto._raise('TN003', 'a data object needs either a payload or a uri');
  elsif octet_length(p_payload) > 1048576 then
    perform tenuto._raise('TN007', format('a payload of %s bytes is larger than 1 MB', octet_length(p_payload)),
      'write it to an object store and pass its uri');
  end if;
  if v_size > v_max then
    perform tenuto._raise('TN007',
      format('a data object of %s bytes is larger than the maximum of the org, %s bytes', v_size, v_max),
      'an admin can raise max_object_bytes in the settings of the org');
  end if;
  perform tenuto._check_name('the type of a data object', coalesce(p_type, ''));
  perform tenuto._check_name('the uri of a data object', p_uri, 2048);
  perform tenuto._check_name('the checksum of a data object', p_checksum);
  perform tenuto._check_size('the metadata of a data object', p_metadata);
  insert into tenuto.data_objects (id, org_id, type, uri, payload, size, checksum, metadata, created_at, persisted)
  values (v_id, p_org_id, p_type, p_uri, p_payload, v_size, p_checksum, p_metadata, tenuto.now(),
          coalesce(p_persisted, false));
  return v_id;
end
$$;
