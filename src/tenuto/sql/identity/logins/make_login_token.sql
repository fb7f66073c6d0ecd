-- Creates a login link that works once and expires soon; stores only the hash of its token.
create or replace function tenuto.make_login_token(
  p_org_id uuid, p_user_id uuid, p_hash bytea, p_lasts interval default '10 minutes')
  returns void
  language plpgsql
as $$
begin
  if p_lasts <= interval '0' or p_lasts > interval '1 day' then
    perform tenuto._raise('TN003', format('the lifetime %s of a login link is not between 0 and 1 day', p_lasts));
  end if;
  if not exists (
    select from tenuto.users u where u.org_id = p_org_id and u.id = p_user_id and u.disabled_at is null) then
    perform tenuto._raise('TN001', format('user %s does not exist or is disabled', p_user_id));
  end if;
  insert into tenuto.login_tokens (hash, org_id, user_id, created_at, expires_at)
  values (p_hash, p_org_id, p_user_id, tenuto.now(), tenuto.now() + p_lasts);
  perform tenuto._audit(p_org_id, 'user', p_user_id::text, 'link',
    jsonb_build_object('seconds', extract(epoch from p_lasts)));
end
$$;
