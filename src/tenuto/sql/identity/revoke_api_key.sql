-- The key lets nobody in from now on. Revoking twice is fine.
create or replace function tenuto.revoke_api_key(p_org_id uuid, p_id uuid)
  returns void
  language plpgsql
as $$
begin
  update tenuto.api_keys
  set revoked_at = coalesce(revoked_at, tenuto.now())
  where org_id = p_org_id
    and id = p_id;
  if not found then
    perform tenuto._raise('TN001', format('no API key %s', p_id));
  end if;
end
$$;
