-- Returns the user of a login cookie, found by its hash. Raises TN008 if the login has expired or was closed, TN009 if
-- the user is disabled. Runs as the owner, before the org is known.
create or replace function tenuto.find_login(p_hash bytea)
  returns table (org_id uuid, user_id uuid, platform_role text, roles text[], expires_at timestamptz)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_login tenuto.login_sessions;
begin
  select * into v_login from tenuto.login_sessions l where l.hash = p_hash and l.expires_at > tenuto.now();
  if not found then
    perform tenuto._raise('TN008', 'the login has expired or was closed', 'log in again');
  end if;
  if v_login.last_seen_at < tenuto.now() - interval '1 minute' then
    with due as materialized (
      select l.hash from tenuto.login_sessions l
      where l.hash = p_hash and l.last_seen_at < tenuto.now() - interval '1 minute'
      for no key update skip locked
    )
    update tenuto.login_sessions l set last_seen_at = tenuto.now() from due where l.hash = due.hash;
  end if;
  return query
  select u.org_id, u.id, u.platform_role, tenuto._user_roles(u.org_id, u.id), v_login.expires_at
  from tenuto.users u
  where u.org_id = v_login.org_id and u.id = v_login.user_id and u.disabled_at is null;
  if not found then
    perform tenuto._raise('TN009', format('user %s is disabled', v_login.user_id), 'ask an admin of your org');
  end if;
end
$$;
