-- Revokes an API key: it is refused from now on. Returns true if this call revoked it; idempotent. An API key that
-- revokes another one (p_by_key) needs the permissions of that key.
create or replace function tenuto.revoke_api_key(p_org_id uuid, p_id uuid, p_by_key uuid default null)
  returns boolean
  language plpgsql
as $$
declare
  v_key record;
  v_was_good boolean;
begin
  update tenuto.api_keys
  set revoked_at = tenuto.now()
  where org_id = p_org_id
    and id = p_id
    and revoked_at is null
  returning permissions, expires_at into v_key;
  v_was_good := found;
  if not found then
    select permissions, expires_at into v_key from tenuto.api_keys where org_id = p_org_id and id = p_id;
  end if;
  if not found then
    perform tenuto._raise('TN001', format('no API key %s', p_id));
  end if;
  perform tenuto._check_key_scope(p_org_id, p_by_key, v_key.permissions, v_key.expires_at);
  if v_was_good then
    perform tenuto._audit(p_org_id, 'api_key', p_id::text, 'revoke');
  end if;
  return v_was_good;
end
$$;
