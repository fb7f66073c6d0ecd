-- Raises TN007 for a value over 1 MB, the maximum size of every value in a row. Null is accepted.
create or replace function tenuto._check_size(p_what text, p_value jsonb)
  returns void
  language plpgsql
as $$
begin
  if pg_column_size(p_value) > 1048576 then
    perform tenuto._raise('TN007', format('%s has %s bytes, more than 1 MB (1048576)', p_what, pg_column_size(p_value)),
      'put the value into a data object and pass its id');
  end if;
end
$$;
