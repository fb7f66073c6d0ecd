-- Returns the maximum size of the outputs or other values in one result, as JSON text: 16 MB.
create or replace function tenuto._max_output_bytes()
  returns int
  language sql
  immutable
  parallel safe
as $$
  select 16777216;
$$;
