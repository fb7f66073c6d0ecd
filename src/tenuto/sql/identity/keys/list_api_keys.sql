-- Returns a page of the org's API keys, newest first, starting before the id p_before. Returns only the public id of
-- each key, never the key itself. p_key_id: only the key with that public id.
create or replace function tenuto.list_api_keys(
  p_org_id uuid, p_before uuid default null, p_limit int default 50, p_key_id text default null)
  returns table (
    id uuid, key_id text, prefix text, name text, permissions text[], pepper_version int, created_by text,
    created_at timestamptz, expires_at timestamptz, revoked_at timestamptz, last_used_at timestamptz, replaced_by uuid,
    disabled_at timestamptz)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select k.id, k.key_id, k.prefix, k.name, k.permissions, k.pepper_version, k.created_by,
         k.created_at, k.expires_at, k.revoked_at, k.last_used_at, k.replaced_by, k.disabled_at
  from tenuto.api_keys k
  where k.org_id = p_org_id and (p_before is null or k.id < p_before)
    and (p_key_id is null or k.key_id = p_key_id)
  order by k.id desc
  limit p_limit;
end
$$;
