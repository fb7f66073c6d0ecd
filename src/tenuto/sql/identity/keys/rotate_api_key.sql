-- Replaces an API key by a new one with the same name, permissions and lifetime; returns its id. The old key works for
-- p_overlap more. A key is replaced once: of two concurrent rotations, one is refused. An API key that rotates another
-- (p_by_key) needs its permissions, and the new key does not outlive it.
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
  if p_overlap < interval '0' or p_overlap > interval '90 days' then
    perform tenuto._raise('TN003', format('overlap %s is not between 0 and 90 days', p_overlap));
  end if;
  select k.name, k.permissions, k.created_at, k.expires_at, k.revoked_at, k.replaced_by
  into v_old
  from tenuto.api_keys k
  where k.org_id = p_org_id and k.id = p_id
  for no key update;
  if not found then
    perform tenuto._raise('TN001', format('no API key %s', p_id));
  elsif v_old.replaced_by is not null then
    perform tenuto._raise('TN004', format('API key %s was already replaced by %s', p_id, v_old.replaced_by),
      'rotate the newer key');
  elsif v_old.revoked_at is not null or v_old.expires_at <= tenuto.now() then
    perform tenuto._raise('TN004', format('API key %s is revoked or has expired', p_id), 'create a new one');
  end if;
  v_end := tenuto._check_key_scope(p_org_id, p_by_key, v_old.permissions, v_old.expires_at);

  insert into tenuto.api_keys (id, org_id, key_id, hash, pepper_version, name, permissions, created_by, created_at,
    expires_at)
  values (v_id, p_org_id, p_key_id, p_hash, p_pepper_version, v_old.name, v_old.permissions, p_created_by, tenuto.now(),
          least(tenuto.now() + (v_old.expires_at - v_old.created_at), v_end));
  update tenuto.api_keys
  set replaced_by = v_id,
      expires_at = least(expires_at, tenuto.now() + p_overlap)
  where org_id = p_org_id and id = p_id;
  return v_id;
end
$$;
