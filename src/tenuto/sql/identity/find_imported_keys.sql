-- At most eight imported keys that were never used and begin like this one: bcrypt is slow, and says which it is. Runs as
-- the owner, before the org is known.
create or replace function tenuto.find_imported_keys(p_prefixes text[])
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
    and k.revoked_at is null
    and (k.expires_at is null or k.expires_at > tenuto.now())
  order by k.id desc
  limit 8;
$$;
