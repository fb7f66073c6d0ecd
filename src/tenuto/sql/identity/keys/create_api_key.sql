-- Creates an API key and returns its id. The caller has made the key and keeps it; only the public id and the HMAC of
-- the whole key are stored. An API key that creates another one (p_by_key) can give it only a subset of its own
-- permissions.
create or replace function tenuto.create_api_key(
  p_org_id uuid, p_key_id text, p_hash bytea, p_name text, p_permissions text[], p_created_by text,
  p_expires_at timestamptz default null, p_pepper_version int default 1, p_by_key uuid default null)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid := tenuto._uuid7();
begin
  perform tenuto._check_new_key(p_name, p_created_by, p_expires_at);
  perform tenuto._check_permissions(p_permissions);
  perform tenuto._check_key_scope(p_org_id, p_by_key, p_permissions, p_expires_at);
  insert into tenuto.api_keys (id, org_id, key_id, hash, pepper_version, name, permissions, created_by, created_at,
    expires_at)
  values (v_id, p_org_id, p_key_id, p_hash, p_pepper_version, p_name, p_permissions, p_created_by, tenuto.now(),
    p_expires_at);
  perform tenuto._audit(p_org_id, 'api_key', v_id::text, 'create',
    jsonb_build_object('name', p_name, 'permissions', p_permissions, 'expires_at', p_expires_at));
  return v_id;
end
$$;
