-- Raises TN003 if the declared schema of a type's arguments is not a JSON object, and TN007 if it has more than 16 kB.
-- Null is accepted.
create or replace function tenuto._check_input_schema(p_type text, p_schema jsonb)
  returns void
  language plpgsql
  immutable
as $$
begin
  if jsonb_typeof(p_schema) <> 'object' then
    perform tenuto._raise('TN003', format('the input schema of %s is not a JSON object', left(p_type, 200)),
      'write {"type": "object", "properties": {…}}');
  elsif octet_length(p_schema::text) > 20000 then   -- 16 kB as the SDK writes it; jsonb adds spaces
    perform tenuto._raise('TN007', format('the input schema of %s has more than 16 kB', left(p_type, 200)),
      'leave it out, or describe less');
  end if;
end
$$;
