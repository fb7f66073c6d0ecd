-- Enables a user again, with the same roles as before. A caller (p_by_key or p_by_user; null: a database login) needs
-- the permissions of the user's role. Idempotent.
create or replace function tenuto.enable_user(
  p_org_id uuid, p_user_id uuid, p_by_key uuid default null, p_by_user uuid default null)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._lock_user(p_org_id, p_user_id, p_by_key, p_by_user);
  update tenuto.users set disabled_at = null where org_id = p_org_id and id = p_user_id;
  perform tenuto._audit(p_org_id, 'user', p_user_id::text, 'enable');
end
$$;
