-- Adds a signing key: the newest key signs, and the signatures of the others stay valid. Returns false and adds nothing
-- while the newest key is younger than p_younger_than: if several processes rotate at once, only one of them adds a
-- key. Runs as the owner, because no other role can add keys.
create or replace function tenuto.add_signing_key(
  p_id text, p_public_key jsonb, p_private_key bytea, p_younger_than interval default '0')
  returns boolean
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  perform tenuto._require_read_committed();
  lock table tenuto.signing_keys in share row exclusive mode;
  if exists (
    select from tenuto.signing_keys k where k.retired_at is null and k.created_at > tenuto.now() - p_younger_than) then
    return false;
  end if;
  insert into tenuto.signing_keys (id, public_key, private_key, created_at)
  values (p_id, p_public_key, p_private_key, tenuto.now());
  return true;
end
$$;
