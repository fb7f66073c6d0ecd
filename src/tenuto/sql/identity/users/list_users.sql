-- Returns a page of the org's users with their roles, newest first, starting before the id p_before. p_name: only
-- users with this name, email address or subject.
create or replace function tenuto.list_users(
  p_org_id uuid, p_before uuid default null, p_limit int default 50, p_name text default null)
  returns table (
    id uuid, issuer text, subject text, email text, name text, platform_role text, roles text[],
    created_at timestamptz, disabled_at timestamptz)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  select u.id, u.issuer, u.subject, u.email, u.name, u.platform_role, tenuto._user_roles(u.org_id, u.id), u.created_at,
         u.disabled_at
  from tenuto.users u
  where u.org_id = p_org_id
    and (p_before is null or u.id < p_before)
    and (p_name is null or lower(p_name) in (lower(u.name), lower(u.email)) or u.subject = p_name)
  order by u.id desc
  limit p_limit;
end
$$;
