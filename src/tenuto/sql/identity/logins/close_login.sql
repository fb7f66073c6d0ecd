-- Deletes a login (logout). Runs as the owner, because the caller knows the hash of the cookie but not the org.
-- Idempotent.
create or replace function tenuto.close_login(p_hash bytea)
  returns void
  language sql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
  delete from tenuto.login_sessions where hash = p_hash;
$$;
