-- Returns the org and permissions of an API key, found by its public id and the HMACs of the whole key (one per pepper
-- that the caller has). Raises TN008 if there is no such valid key. Runs as the owner, before the org is known. The
-- comparison need not take constant time, because part of an HMAC reveals nothing about the key.
create or replace function tenuto.find_api_key(p_key_id text, p_hashes bytea[])
  returns table (org_id uuid, id uuid, name text, permissions text[])
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_key tenuto.api_keys;
begin
  select * into v_key from tenuto.api_keys k where k.key_id = p_key_id and k.hash = any (p_hashes);
  if not found or num_nonnulls(v_key.revoked_at, v_key.disabled_at) > 0 or v_key.expires_at <= tenuto.now() then
    perform tenuto._refuse_key('API key', p_key_id, v_key.id, v_key.revoked_at, v_key.disabled_at);
  end if;

  if coalesce(v_key.last_used_at, '-infinity') < tenuto.now() - interval '1 minute' then
    with due as materialized (
      select k.id
      from tenuto.api_keys k
      where k.id = v_key.id and coalesce(k.last_used_at, '-infinity') < tenuto.now() - interval '1 minute'
      for no key update skip locked   -- another transaction writes the same time, or a more important change
    )
    update tenuto.api_keys k set last_used_at = tenuto.now() from due where k.id = due.id;
  end if;
  return query select v_key.org_id, v_key.id, v_key.name, v_key.permissions;
end
$$;
