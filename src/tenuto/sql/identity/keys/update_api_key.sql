-- Changes the name of an API key, whether it is active, or when it expires. A parameter that is null changes nothing;
-- p_never_expires removes the expiry time. An inactive key is refused until it is active again. Raises TN004 for a
-- revoked key. An API key that changes another one (p_by_key) needs the permissions of that key. Neither the old nor
-- the new expiry time of that key may be later than the expiry time of p_by_key.
create or replace function tenuto.update_api_key(
  p_org_id uuid, p_id uuid, p_name text default null, p_active boolean default null,
  p_expires_at timestamptz default null, p_never_expires boolean default false, p_by_key uuid default null)
  returns void
  language plpgsql
as $$
declare
  v_old record;
begin
  perform tenuto._check_name('the name of a key', coalesce(p_name, 'unchanged'));
  perform tenuto._check_expiry(p_expires_at);
  select k.permissions, k.expires_at, k.revoked_at,
         case when p_never_expires then null else coalesce(p_expires_at, k.expires_at) end as new_expires_at
  into v_old
  from tenuto.api_keys k
  where k.org_id = p_org_id and k.id = p_id
  for no key update;
  if not found then
    perform tenuto._raise('TN001', format('no API key %s', p_id), 'list the keys to see which exist');
  elsif v_old.revoked_at is not null then
    perform tenuto._raise('TN004', format('API key %s is revoked', p_id), 'create a new one');
  end if;
  perform tenuto._check_key_scope(p_org_id, p_by_key, v_old.permissions, v_old.expires_at);
  perform tenuto._check_key_scope(p_org_id, p_by_key, v_old.permissions, v_old.new_expires_at);

  update tenuto.api_keys k
  set name = coalesce(p_name, k.name),
      disabled_at = case when p_active then null
                         when not p_active then coalesce(k.disabled_at, tenuto.now())
                         else k.disabled_at end,
      expires_at = v_old.new_expires_at
  where k.org_id = p_org_id and k.id = p_id;
  perform tenuto._audit(p_org_id, 'api_key', p_id::text, 'update', jsonb_build_object(
    'name', p_name, 'active', p_active,
    'expires_at', case when p_never_expires then 'never' else p_expires_at::text end));
end
$$;
