-- The rest of the transaction acts for the org of this API key: answers the org, or TN008 for a key that is not valid and
-- TN009 for one without the permission (null: any key will do). In the same statement as what the key asks for, so that a
-- key counts at the moment of the deed.
create or replace function tenuto.act_as_api_key(p_key_id text, p_hashes bytea[], p_permission text default null)
  returns uuid
  language plpgsql
as $$
declare
  v_key record;
begin
  select * into v_key from tenuto.find_api_key(p_key_id, p_hashes);
  if not v_key.permissions && array[p_permission, split_part(p_permission, ':', 1) || ':*', '*'] and p_permission is not null then
    perform tenuto._raise('TN009', format('API key %L has no permission %s', v_key.name, p_permission), 'ask an admin of your org for it');
  end if;
  perform set_config('tenuto.org_id', v_key.org_id::text, true);
  return v_key.org_id;
end
$$;
