-- Deletes the token of a login link and returns its user: a link works once. Raises TN008 if the link was used or has
-- expired, or if its user is disabled. Runs as the owner, before the org is known.
create or replace function tenuto.use_login_token(p_hash bytea)
  returns table (org_id uuid, user_id uuid)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
begin
  return query
  delete from tenuto.login_tokens t
  using tenuto.users u
  where t.hash = p_hash
    and t.expires_at > tenuto.now()
    and u.org_id = t.org_id
    and u.id = t.user_id
    and u.disabled_at is null
  returning t.org_id, t.user_id;
  if not found then
    perform tenuto._raise('TN008', 'the login link was already used or has expired, or its user is disabled',
      'request a new link');
  end if;
end
$$;
