-- About how many bytes a value has on its way to a worker. Unpacked to be measured only where it is stored compressed;
-- one of up to 64 bytes is not looked at, whatever it holds.
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
