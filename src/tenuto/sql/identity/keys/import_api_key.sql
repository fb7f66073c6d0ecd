-- Imports an API key of another system, of which only the first characters and a bcrypt hash are known. At its first
-- use, the key is adopted (adopt_api_key).
create or replace function tenuto.import_api_key(
  p_org_id uuid, p_prefix text, p_bcrypt text, p_name text, p_permissions text[], p_created_by text,
  p_expires_at timestamptz default null)
  returns uuid
  language plpgsql
as $$
declare
  v_id uuid := tenuto._uuid7();
begin
  perform tenuto._check_name('the name of a key', coalesce(p_name, ''));
  perform tenuto._check_name('created_by of a key', coalesce(p_created_by, ''));
  perform tenuto._check_name('the prefix of a key', coalesce(p_prefix, ''), 50);
  perform tenuto._check_permissions(p_permissions);
  perform tenuto._check_expiry(p_expires_at);
  insert into tenuto.api_keys (id, org_id, prefix, bcrypt, name, permissions, created_by, created_at, expires_at)
  values (v_id, p_org_id, p_prefix, p_bcrypt, p_name, p_permissions, p_created_by, tenuto.now(), p_expires_at);
  perform tenuto._audit(p_org_id, 'api_key', v_id::text, 'import',
    jsonb_build_object('name', p_name, 'permissions', p_permissions, 'expires_at', p_expires_at));
  return v_id;
end
$$;
