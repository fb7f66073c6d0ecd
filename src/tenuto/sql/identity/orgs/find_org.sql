-- Returns the id of an org by its slug. Raises TN001 if there is none, or if the login cannot see it.
create or replace function tenuto.find_org(p_slug text)
  returns uuid
  language plpgsql
  stable
as $$
declare
  v_id uuid;
begin
  select id into v_id from tenuto.orgs where slug = p_slug;
  if not found and not exists (select from tenuto.orgs) then   -- an org always exists, but this login sees none
    perform tenuto._raise('TN001', format('login %I cannot see org %L', session_user, p_slug),
      'use a login with tenuto_worker; one with tenuto_readonly sees the org in its setting tenuto.org_id');
  elsif not found then
    perform tenuto._raise('TN001', format('no org %L', p_slug));
  end if;
  return v_id;
end
$$;
