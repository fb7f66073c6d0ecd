-- Retires a signing key: it signs no more, and its signatures are no longer valid. Idempotent. Runs as the owner.
create or replace function tenuto.retire_signing_key(p_id text)
  returns void
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  update tenuto.signing_keys set retired_at = coalesce(retired_at, tenuto.now()) where id = p_id;
  if not found then
    perform tenuto._raise('TN001', format('no signing key %L', left(p_id, 100)));
  end if;
end
$$;
