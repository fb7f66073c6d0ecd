-- Logs a user in: stores the hash of the cookie and returns when it expires.
create or replace function tenuto.open_login(
  p_org_id uuid, p_user_id uuid, p_hash bytea, p_lasts interval default '12 hours', p_ip text default null,
  p_user_agent text default null)
  returns timestamptz
  language plpgsql
as $$
begin
  if p_lasts <= interval '0' or p_lasts > interval '30 days' then
    perform tenuto._raise('TN003', format('the lifetime %s of a login is not between 0 and 30 days', p_lasts));
  end if;
  perform from tenuto.users u where u.org_id = p_org_id and u.id = p_user_id and u.disabled_at is null for share;
  if not found then
    perform tenuto._raise('TN009', format('user %s does not exist or is disabled', p_user_id));
  end if;
  insert into tenuto.login_sessions (hash, org_id, user_id, ip, user_agent, created_at, last_seen_at, expires_at)
  values (p_hash, p_org_id, p_user_id, left(p_ip, 64), left(p_user_agent, 512), tenuto.now(), tenuto.now(),
    tenuto.now() + p_lasts);
  return tenuto.now() + p_lasts;
end
$$;
