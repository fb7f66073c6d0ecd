-- A person goes out. Runs as the owner: it needs no more than what the person showed. Going out twice is fine.
create or replace function tenuto.close_login(p_hash bytea)
  returns void
  language sql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
  delete from tenuto.login_sessions where hash = p_hash;
$$;
