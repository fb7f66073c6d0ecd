-- Disables a user: they cannot log in any more, and their logins and login links are deleted. A caller (p_by_key or
-- p_by_user; null: a database login) needs the permissions of the user's role, and cannot disable itself. Idempotent.
create or replace function tenuto.disable_user(
  p_org_id uuid, p_user_id uuid, p_by_key uuid default null, p_by_user uuid default null)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._lock_user(p_org_id, p_user_id, p_by_key, p_by_user);
  if p_by_user = p_user_id then
    perform tenuto._raise('TN004', 'you cannot disable yourself', 'ask another admin of your org');
  end if;
  update tenuto.users set disabled_at = coalesce(disabled_at, tenuto.now()) where org_id = p_org_id and id = p_user_id;
  delete from tenuto.login_sessions where org_id = p_org_id and user_id = p_user_id;
  delete from tenuto.login_tokens where org_id = p_org_id and user_id = p_user_id;
  perform tenuto._audit(p_org_id, 'user', p_user_id::text, 'disable');
end
$$;
