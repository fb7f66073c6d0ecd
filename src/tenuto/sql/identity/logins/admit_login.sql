-- Returns the user of a login cookie, and whether the rate limit allows the request: does find_login and take_tokens in
-- one round trip. Takes a token from the same buckets as admit_user. Call it in a separate transaction, as take_tokens
-- requires.
create or replace function tenuto.admit_login(p_hash bytea, p_rates float8[], p_bursts float8[])
  returns table (org_id uuid, user_id uuid, platform_role text, roles text[], allowed boolean, retry_after float8)
  language plpgsql
as $$
begin
  select l.org_id, l.user_id, l.platform_role, l.roles into org_id, user_id, platform_role, roles
  from tenuto.find_login(p_hash) l;

  perform set_config('tenuto.org_id', org_id::text, true);
  select t.allowed, t.retry_after into allowed, retry_after
  from tenuto.take_tokens(org_id, array['user:' || user_id, 'org'], p_rates, p_bursts) t;
  return next;
end
$$;
