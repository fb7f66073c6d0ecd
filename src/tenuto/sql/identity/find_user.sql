-- Who a person is, by issuer and subject of a token that was checked. Runs as the owner, before the org is known.
create or replace function tenuto.find_user(p_issuer text, p_subject text)
  returns table (org_id uuid, user_id uuid, platform_role text, roles text[])
  language plpgsql
  stable
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_user tenuto.users;
begin
  select * into v_user from tenuto.users u where u.issuer = p_issuer and u.subject = p_subject;
  if not found then
    perform tenuto._raise('TN009', format('nobody here is %s of %s', left(p_subject, 256), left(p_issuer, 256)), 'ask an admin of your org to add you');
  elsif v_user.disabled_at is not null then
    perform tenuto._raise('TN009', format('user %s is disabled', v_user.id), 'ask an admin of your org');
  end if;
  return query select v_user.org_id, v_user.id, v_user.platform_role, tenuto._user_roles(v_user.org_id, v_user.id);
end
$$;
