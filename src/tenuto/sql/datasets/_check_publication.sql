-- Returns what is wrong with one publication, or null. Its location must be the folder of the dataset version, then one
-- folder for the partition, then a folder that belongs to the attempt. All checks must have passed, except those with
-- severity warn. Converts the fields to the same types as _commit_outputs does later, so that _commit_outputs never
-- fails on a value.
create or replace function tenuto._check_publication(p_json jsonb, p_root text, p_own text)
  returns text
  language plpgsql
  immutable
as $$
declare
  v_entry record;
  v_check jsonb;
begin
  select * into v_entry
  from jsonb_to_record(p_json) as p(
    output int, partition text, location text, rows bigint, bytes bigint, fingerprint text, schema_hash text,
    checks jsonb);
  if v_entry.partition is not null and not tenuto._is_partition_key(v_entry.partition) then
    return format('partition %L is not a text of 1 to 255 bytes', left(v_entry.partition, 300));
  elsif not tenuto._is_staging(v_entry.location, p_root, p_own) then
    return format('location %L is not below %s…/%s, where this attempt writes', left(v_entry.location, 1500), p_root,
      p_own);
  elsif v_entry.rows < 0 or v_entry.bytes < 0 then
    return 'rows or bytes are negative';
  elsif coalesce(v_entry.fingerprint, '') !~ '^[0-9a-f]{64}$' or v_entry.schema_hash !~ '^[0-9a-f]{64}$' then
    return 'fingerprint or schema_hash is not a SHA-256 hash in hexadecimal digits';
  elsif jsonb_typeof(v_entry.checks) not in ('array', 'null')
     or jsonb_array_length(nullif(v_entry.checks, 'null')) > 100 then
    return 'checks are not a list of up to 100 results';
  end if;
  for v_check in select jsonb_array_elements(nullif(v_entry.checks, 'null'))
  loop
    if jsonb_typeof(v_check) <> 'object' then
      return 'checks are not objects with name, severity, passed and message';
    elsif v_check -> 'passed' is distinct from 'true' and v_check ->> 'severity' is distinct from 'warn' then
      return format('check %s failed: %s', coalesce(left(v_check ->> 'name', 256), 'without a name'),
        coalesce(left(v_check ->> 'message', 2000), 'no message'));
    end if;
  end loop;
  return null;
end
$$;
