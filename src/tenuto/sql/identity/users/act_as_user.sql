-- Makes the rest of the transaction act for the org of a user, and returns the org. Raises TN009 for a user who is
-- disabled or whose platform role has changed since authentication. Call it in the same statement as the work, like
-- act_as_api_key.
create or replace function tenuto.act_as_user(p_org_id uuid, p_user_id uuid, p_platform_role text)
  returns uuid
  language plpgsql
as $$
begin
  perform set_config('tenuto.org_id', p_org_id::text, true);
  if not exists (
    select from tenuto.users u
    where u.org_id = p_org_id and u.id = p_user_id and u.platform_role = p_platform_role and u.disabled_at is null) then
    perform tenuto._raise('TN009',
      format('user %s is disabled or no longer has the role %s', p_user_id, left(p_platform_role, 100)),
      'try again, or ask an admin of your org');
  end if;
  return p_org_id;
end
$$;
