-- Creates or updates a user, identified by issuer and subject, and returns their id. With a null platform role, an
-- existing user keeps their role and a new user becomes a reader. The same issuer and subject in another org is another
-- user. A caller (p_by_key or p_by_user; null: a database login) needs the permissions of the old and the new role, and
-- cannot change its own role.
create or replace function tenuto.put_user(
  p_org_id uuid, p_issuer text, p_subject text, p_email text default null, p_name text default null,
  p_platform_role text default null, p_by_key uuid default null, p_by_user uuid default null)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid := tenuto._put_user(
    p_org_id, p_issuer, p_subject, p_email, p_name, p_platform_role, p_by_key, p_by_user);
begin
  perform tenuto._audit(p_org_id, 'user', v_id::text, 'put', jsonb_build_object(
    'issuer', p_issuer, 'subject', p_subject, 'platform_role', p_platform_role, 'email', p_email, 'name', p_name));
  return v_id;
end
$$;
