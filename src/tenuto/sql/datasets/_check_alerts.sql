-- Returns what is wrong with the alerts of a publication, or null. Expects a list of up to 100 objects {key, summary,
-- severity, row} with different keys.
create or replace function tenuto._check_alerts(p_alerts jsonb)
  returns text
  language sql
  immutable parallel safe
as $$
  select case
    when coalesce(p_alerts, 'null') = 'null' then null
    when jsonb_typeof(p_alerts) <> 'array' then 'alerts are not a list'
    when jsonb_array_length(p_alerts) > 100 then 'there are more than 100 alerts'
    when pg_column_size(p_alerts) > 921600 then 'the alerts take more than 900 KB'   -- one effect has up to 1 MB
    else (
      select case
          when not coalesce(bool_and(jsonb_typeof(a -> 'key') = 'string' and octet_length(a ->> 'key') between 1 and 300
            and jsonb_typeof(a -> 'summary') = 'string' and octet_length(a ->> 'summary') between 1 and 1000
            and a ->> 'severity' in ('info', 'warning', 'critical')
            and jsonb_typeof(a -> 'row') = 'object' and octet_length((a -> 'row')::text) <= 8192), false)
            then 'an alert needs a key of up to 300 bytes, a summary of up to 1,000, a severity and a row of up to 8 KB'
          when count(distinct a ->> 'key') < count(*) then 'two alerts have the same key' end
      from jsonb_array_elements(p_alerts) a
      having count(*) > 0)
  end
$$;
