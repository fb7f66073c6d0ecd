-- Makes the rest of the transaction act for the org of an API key, and returns the org. Raises TN008 for a key that is
-- not valid and TN009 for a key without p_permission (null: no permission is needed). Called in the same statement as
-- the work, so that the key is checked at the time of the change.
create or replace function tenuto.act_as_api_key(p_key_id text, p_hashes bytea[], p_permission text default null)
  returns uuid
  language plpgsql
as $$
declare
  v_key record;
begin
  select * into v_key from tenuto.find_api_key(p_key_id, p_hashes);
  if not v_key.permissions && array[p_permission, split_part(p_permission, ':', 1) || ':*', '*']
     and p_permission is not null then
    perform tenuto._raise('TN009', format('API key %L has no permission %s', v_key.name, p_permission),
      'ask an admin of your org for it');
  end if;
  perform set_config('tenuto.org_id', v_key.org_id::text, true);
  return v_key.org_id;
end
$$;
