-- Revokes a worker key: it is refused from now on. Returns true if this call revoked it; idempotent. An API key that
-- revokes it (p_by_key) needs workers:write.
create or replace function tenuto.revoke_worker_key(p_org_id uuid, p_id uuid, p_by_key uuid default null)
  returns boolean
  language plpgsql
as $$
declare
  v_key record;
  v_was_good boolean;
begin
  update tenuto.worker_keys
  set revoked_at = tenuto.now()
  where org_id = p_org_id
    and id = p_id
    and revoked_at is null
  returning expires_at into v_key;
  v_was_good := found;
  if not found then
    select expires_at into v_key from tenuto.worker_keys where org_id = p_org_id and id = p_id;
  end if;
  if not found then
    perform tenuto._raise('TN001', format('no worker key %s', p_id));
  end if;
  perform tenuto._check_key_scope(p_org_id, p_by_key, '{workers:write}', v_key.expires_at);
  if v_was_good then
    perform tenuto._audit(p_org_id, 'worker_key', p_id::text, 'revoke');
  end if;
  return v_was_good;
end
$$;
