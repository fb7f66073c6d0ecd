-- Returns a user's org and roles, and whether the rate limit allows the request: does find_user and take_tokens in one
-- round trip. Takes a token from the bucket of the user and from that of their org; p_rates and p_bursts have the
-- values of these two buckets, in this order. Call it in a separate transaction, as take_tokens requires.
create or replace function tenuto.admit_user(
  p_issuer text, p_subject text, p_rates float8[], p_bursts float8[], p_org text default null)
  returns table (org_id uuid, user_id uuid, platform_role text, roles text[], allowed boolean, retry_after float8)
  language plpgsql
as $$
begin
  select u.org_id, u.user_id, u.platform_role, u.roles into org_id, user_id, platform_role, roles
  from tenuto.find_user(p_issuer, p_subject, p_org) u;

  perform set_config('tenuto.org_id', org_id::text, true);
  select t.allowed, t.retry_after into allowed, retry_after
  from tenuto.take_tokens(org_id, array['user:' || user_id, 'org'], p_rates, p_bursts) t;
  return next;
end
$$;
