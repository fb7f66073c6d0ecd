-- The key lets nobody in from now on. Revoking twice is fine. An API key that asks (p_by_key) revokes what is within its reach.
create or replace function tenuto.revoke_api_key(p_org_id uuid, p_id uuid, p_by_key uuid default null)
  returns void
  language plpgsql
as $$
declare
  v_key record;
begin
  update tenuto.api_keys
  set revoked_at = coalesce(revoked_at, tenuto.now())
  where org_id = p_org_id
    and id = p_id
  returning permissions, expires_at into v_key;
  if not found then
    perform tenuto._raise('TN001', format('no API key %s', p_id));
  end if;
  perform tenuto._check_reach(p_org_id, p_by_key, v_key.permissions, v_key.expires_at);
end
$$;
