-- Enables a user again, with the same roles as before. Idempotent.
create or replace function tenuto.enable_user(p_org_id uuid, p_user_id uuid)
  returns void
  language plpgsql
as $$
begin
  update tenuto.users set disabled_at = null where org_id = p_org_id and id = p_user_id;
  if not found then
    perform tenuto._raise('TN001', format('no user %s', p_user_id));
  end if;
end
$$;
