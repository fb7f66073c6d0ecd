-- Deletes a login (logout). Runs as the owner: the cookie's hash is all it needs. Idempotent.
create or replace function tenuto.close_login(p_hash bytea)
  returns void
  language sql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
  delete from tenuto.login_sessions where hash = p_hash;
$$;
