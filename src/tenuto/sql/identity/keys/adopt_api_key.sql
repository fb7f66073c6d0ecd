-- Gives an imported API key a public id and the HMAC of the whole key at its first use, and deletes its bcrypt hash.
-- Does nothing if another request has adopted the key with the same id. Raises TN001 if there is no such imported key.
create or replace function tenuto.adopt_api_key(
  p_org_id uuid, p_id uuid, p_key_id text, p_hash bytea, p_pepper_version int default 1)
  returns void
  language plpgsql
as $$
begin
  update tenuto.api_keys
  set key_id = p_key_id,
      hash = p_hash,
      bcrypt = null,
      pepper_version = p_pepper_version
  where org_id = p_org_id
    and id = p_id
    and key_id is null;
  if not found
     and not exists (
       select from tenuto.api_keys k where k.org_id = p_org_id and k.id = p_id and k.key_id = p_key_id) then
    perform tenuto._raise('TN001', format('no imported API key %s', p_id));
  end if;
end
$$;
