-- Returns about how many bytes a value has when it is sent to a worker. Only a value that is stored compressed is
-- decompressed to be measured. A value of up to 64 bytes counts as 0.
create or replace function tenuto._json_bytes(p_value jsonb)
  returns int
  language sql
  stable
as $$
  select case
           when p_value is null or pg_column_size(p_value) <= 64 then 0
           when pg_column_compression(p_value) is null then pg_column_size(p_value)
           else octet_length(p_value::text)
         end;
$$;
