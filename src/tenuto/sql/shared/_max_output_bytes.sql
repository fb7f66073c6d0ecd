-- Returns how many bytes of outputs or other values, as JSON text, one result has at most: 16 MB.
create or replace function tenuto._max_output_bytes()
  returns int
  language sql
  immutable
  parallel safe
as $$
  select 16777216;
$$;
