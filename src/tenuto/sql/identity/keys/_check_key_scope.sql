-- Raises TN009 if a key would exceed the API key p_by_key that creates, changes, rotates or revokes it: the key can
-- have only a subset of the permissions of p_by_key, and cannot expire later than p_by_key. Returns when p_by_key
-- expires. p_by_key is null for a user or a database login, which are not limited.
create or replace function tenuto._check_key_scope(
  p_org_id uuid, p_by_key uuid, p_permissions text[], p_expires_at timestamptz)
  returns timestamptz
  language plpgsql
  stable
as $$
declare
  v_key record;
  v_more text;
  v_end text;
begin
  if p_by_key is null then
    return null;
  end if;
  select k.name, k.permissions, k.expires_at
  into v_key
  from tenuto.api_keys k
  where k.org_id = p_org_id and k.id = p_by_key;
  if not found then
    perform tenuto._raise('TN001', format('no API key %s', p_by_key));
  end if;

  select string_agg(p.permission, ', ') into v_more
  from unnest(p_permissions) p(permission), split_part(p.permission, ':', 1) t(thing)
  where not v_key.permissions && array[p.permission, t.thing || ':*', '*']
    and not (p.permission = t.thing || ':*'
             and v_key.permissions @> array[t.thing || ':read', t.thing || ':write']
             and (t.thing <> 'runs' or 'runs:delete' = any (v_key.permissions)));
  if v_more is not null then
    perform tenuto._raise('TN009', format('%s exceeds the permissions of API key %L', v_more, v_key.name),
      format('it has %s; ask an admin of your org for more', array_to_string(v_key.permissions, ', ')));
  end if;
  if coalesce(p_expires_at, 'infinity') > coalesce(v_key.expires_at, 'infinity') then
    v_end := to_char(v_key.expires_at at time zone 'utc', 'YYYY-MM-DD"T"HH24:MI:SS"Z"');
    perform tenuto._raise('TN009',
      format('API key %L, which expires at %s, cannot create or change keys that expire later', v_key.name, v_end),
      format('pass expires_at %s or earlier for a new key; to change other keys, ask an admin of your org', v_end));
  end if;
  return v_key.expires_at;
end
$$;
