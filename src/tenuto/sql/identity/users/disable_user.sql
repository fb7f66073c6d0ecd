-- Disables a user: they cannot log in, and their logins and login links end. Idempotent.
create or replace function tenuto.disable_user(p_org_id uuid, p_user_id uuid)
  returns void
  language plpgsql
as $$
begin
  update tenuto.users set disabled_at = coalesce(disabled_at, tenuto.now()) where org_id = p_org_id and id = p_user_id;
  if not found then
    perform tenuto._raise('TN001', format('no user %s', p_user_id));
  end if;
  delete from tenuto.login_sessions where org_id = p_org_id and user_id = p_user_id;
  delete from tenuto.login_tokens where org_id = p_org_id and user_id = p_user_id;
end
$$;
