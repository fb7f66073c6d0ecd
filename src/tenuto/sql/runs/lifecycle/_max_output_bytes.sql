-- Returns how many bytes of outputs, as JSON text, one value or one response has at most: 16 MB.
create or replace function tenuto._max_output_bytes()
  returns int
  language sql
  immutable
  parallel safe
as $$
  select 16777216;
$$;
