-- Returns a user, found by the issuer and subject of a trusted token, and by the slug of the org (p_org). Raises TN003
-- if p_org is null and the user is in several orgs, so that no org gets requests that are meant for another one. Raises
-- TN009 for an unknown or disabled user. Runs as the owner, before the org is known. Roles come from Tenuto's tables,
-- never from the token.
create or replace function tenuto.find_user(p_issuer text, p_subject text, p_org text default null)
  returns table (org_id uuid, user_id uuid, platform_role text, roles text[])
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_user record;
begin
  select u.id, u.org_id, u.platform_role, u.disabled_at, u.came_at,
         count(*) filter (where u.disabled_at is null) over () as known,
         string_agg(o.slug, ', ') filter (where u.disabled_at is null) over () as slugs
  into v_user
  from tenuto.users u
  join tenuto.orgs o on o.id = u.org_id
  where u.issuer = p_issuer
    and u.subject = p_subject
    and (p_org is null or o.slug = p_org)
  order by u.disabled_at is not null, u.came_at
  limit 1;
  if not found then
    perform tenuto._raise('TN009',
      format('no user %s has subject %s of issuer %s',
        coalesce('in org ' || left(p_org, 63), 'of any org'), left(p_subject, 256), left(p_issuer, 256)),
      'ask an admin of your org to add you');
  elsif v_user.disabled_at is not null then
    perform tenuto._raise('TN009', format('user %s is disabled', v_user.id), 'ask an admin of your org');
  elsif v_user.known > 1 then
    perform tenuto._raise('TN003', format('you are a user of several orgs: %s', v_user.slugs),
      'choose one with the header X-Tenuto-Org, or at /auth/login?org=…');
  end if;

  if v_user.came_at is null then
    update tenuto.users u
    set came_at = tenuto.now()
    where u.org_id = v_user.org_id and u.id = v_user.id and u.came_at is null;
  end if;
  return query select v_user.org_id, v_user.id, v_user.platform_role, tenuto._user_roles(v_user.org_id, v_user.id);
end
$$;
