-- Returns the API key with this id, or with this public id (the part of the key that messages show). Raises TN001 if
-- there is none.
create or replace function tenuto.get_api_key(p_org_id uuid, p_key_id text default null, p_id uuid default null)
  returns table (
    id uuid, key_id text, prefix text, name text, permissions text[], pepper_version int, created_by text,
    created_at timestamptz, expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz, replaced_by uuid,
    disabled_at timestamptz)
  language plpgsql
  stable
as $$
begin
  return query
  select k.id, k.key_id, k.prefix, k.name, k.permissions, k.pepper_version, k.created_by,
         k.created_at, k.expires_at, k.revoked_at, k.last_used_at, k.replaced_by, k.disabled_at
  from tenuto.api_keys k
  where k.org_id = p_org_id and (k.key_id = p_key_id or k.id = p_id);
  if not found then
    perform tenuto._raise('TN001', format('no API key %s', coalesce(left(p_key_id, 100), p_id::text)),
      'list the keys to see which exist');
  end if;
end
$$;
