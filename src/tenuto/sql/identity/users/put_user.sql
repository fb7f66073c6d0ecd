-- Creates or updates a user, known by issuer and subject; returns their id. A platform role that is null stays, or is
-- reader for a new user. The same person in another org is another user.
create or replace function tenuto.put_user(
  p_org_id uuid, p_issuer text, p_subject text, p_email text default null, p_name text default null,
  p_platform_role text default null)
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

  insert into tenuto.users as u (id, org_id, issuer, subject, email, name, platform_role, created_at)
  values (tenuto._uuid7(), p_org_id, p_issuer, p_subject, p_email, p_name, coalesce(p_platform_role, 'reader'),
    tenuto.now())
  on conflict (issuer, subject, org_id) do update
    set email = coalesce(p_email, u.email),
        name = coalesce(p_name, u.name),
        platform_role = coalesce(p_platform_role, u.platform_role)
  returning u.id into v_id;
  return v_id;
end
$$;
