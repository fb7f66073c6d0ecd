-- Creates a login link that works once and expires soon; stores only the hash of its token.
create or replace function tenuto.make_login_token(
  p_org_id uuid, p_user_id uuid, p_hash bytea, p_lasts interval default '10 minutes')
  returns void
  language plpgsql
as $$
begin
  if p_lasts <= interval '0' or p_lasts > interval '1 day' then
    perform tenuto._raise('TN003', format('a link of %s is not between now and one day', p_lasts));
  end if;
  if not exists (
    select from tenuto.users u where u.org_id = p_org_id and u.id = p_user_id and u.disabled_at is null) then
    perform tenuto._raise('TN001', format('no user %s, or disabled', p_user_id));
  end if;
  insert into tenuto.login_tokens (hash, org_id, user_id, created_at, expires_at)
  values (p_hash, p_org_id, p_user_id, tenuto.now(), tenuto.now() + p_lasts);
end
$$;
