-- Does what put_user does, without an entry in the audit log, which put_user adds.
create or replace function tenuto._put_user(
  p_org_id uuid, p_issuer text, p_subject text, p_email text default null, p_name text default null,
  p_platform_role text default null, p_by_key uuid default null, p_by_user uuid default null)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid;
begin
  perform tenuto._check_name('the issuer of a user', coalesce(p_issuer, ''));
  perform tenuto._check_name('the subject of a user', coalesce(p_subject, ''));
  perform tenuto._check_name('the email of a user', p_email, 320);
  perform tenuto._check_name('the name of a user', p_name);
  perform tenuto._check_platform_role(p_platform_role);
  perform tenuto._check_user_scope(p_org_id, coalesce(p_platform_role, 'reader'), p_by_key, p_by_user);

  insert into tenuto.users (id, org_id, issuer, subject, email, name, platform_role, created_at)
  values (tenuto._uuid7(), p_org_id, p_issuer, p_subject, p_email, p_name, coalesce(p_platform_role, 'reader'),
    tenuto.now())
  on conflict (issuer, subject, org_id) do nothing
  returning id into v_id;
  if found then
    return v_id;
  end if;

  -- A second statement: the first may have waited for a concurrent insert that its snapshot does not show.
  select u.id into strict v_id
  from tenuto.users u
  where u.org_id = p_org_id and u.issuer = p_issuer and u.subject = p_subject;
  perform tenuto._lock_user(p_org_id, v_id, p_by_key, p_by_user);
  if p_platform_role is not null then
    perform tenuto._set_user_role(p_org_id, v_id, p_platform_role, p_by_key, p_by_user);
  end if;
  update tenuto.users
  set email = coalesce(p_email, email),
      name = coalesce(p_name, name)
  where org_id = p_org_id and id = v_id;
  return v_id;
end
$$;
