-- Replaces an API key by a new key with the same name, permissions and lifetime, and returns the id of the new key. The
-- old key stays valid for p_overlap. A key is replaced once: of two concurrent rotations, one is refused. An API key
-- that rotates another one (p_by_key) needs the permissions of that key, and the new key expires no later than
-- p_by_key.
create or replace function tenuto.rotate_api_key(
  p_org_id uuid, p_id uuid, p_key_id text, p_hash bytea, p_created_by text,
  p_overlap interval default '1 day', p_pepper_version int default 1, p_by_key uuid default null)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid := tenuto._uuid7();
  v_old record;
  v_end timestamptz;
begin
  select k.id, k.name, k.permissions, k.created_at, k.expires_at, k.revoked_at, k.replaced_by
  into v_old
  from tenuto.api_keys k
  where k.org_id = p_org_id and k.id = p_id
  for no key update;
  perform tenuto._check_rotation(
    'API key', p_id, p_overlap, v_old.id, v_old.replaced_by, v_old.revoked_at, v_old.expires_at);
  v_end := tenuto._check_key_scope(p_org_id, p_by_key, v_old.permissions, v_old.expires_at);

  insert into tenuto.api_keys (id, org_id, key_id, hash, pepper_version, name, permissions, created_by, created_at,
    expires_at)
  values (v_id, p_org_id, p_key_id, p_hash, p_pepper_version, v_old.name, v_old.permissions, p_created_by, tenuto.now(),
          least(tenuto.now() + (v_old.expires_at - v_old.created_at), v_end));
  update tenuto.api_keys
  set replaced_by = v_id,
      expires_at = least(expires_at, tenuto.now() + p_overlap)
  where org_id = p_org_id and id = p_id;
  perform tenuto._audit(p_org_id, 'api_key', p_id::text, 'rotate', jsonb_build_object('replaced_by', v_id));
  return v_id;
end
$$;
