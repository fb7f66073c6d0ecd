-- Returns valid imported keys that were never used and that have one of the prefixes p_prefixes, newest first. Returns
-- at most eight per call, because the caller compares their bcrypt hashes, which is slow. p_before: the last key that
-- the caller has compared; returns only older keys. Runs as the owner, before the org is known.
create or replace function tenuto.find_imported_keys(p_prefixes text[], p_before uuid default null)
  returns table (org_id uuid, id uuid, bcrypt text)
  language sql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
  select k.org_id, k.id, k.bcrypt
  from tenuto.api_keys k
  where k.prefix = any (p_prefixes)
    and k.key_id is null
    and (p_before is null or k.id < p_before)
    and k.revoked_at is null
    and k.disabled_at is null
    and (k.expires_at is null or k.expires_at > tenuto.now())
  order by k.id desc
  limit 8;
$$;
