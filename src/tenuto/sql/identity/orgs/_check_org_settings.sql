-- Raises TN003 for unknown org settings, and for a retention that is not a number of days.
create or replace function tenuto._check_org_settings(p_settings jsonb)
  returns void
  language plpgsql
as $$
declare
  v_key text;
begin
  if p_settings is null or jsonb_typeof(p_settings) <> 'object' then
    perform tenuto._raise('TN003', 'org settings are not a JSON object');
  end if;
  for v_key in select jsonb_object_keys(p_settings)
  loop
    if v_key <> 'retention_days' then
      perform tenuto._raise('TN003', format('unknown org setting %L', v_key), 'known settings: retention_days');
    end if;
  end loop;
  if p_settings ? 'retention_days'
     and (jsonb_typeof(p_settings -> 'retention_days') <> 'number'
          or (p_settings ->> 'retention_days')::numeric not between 1 and 3650) then
    perform tenuto._raise('TN003',
      format('retention_days is %s, not a number from 1 to 3650', p_settings -> 'retention_days'));
  end if;
end
$$;
