-- Raises TN003 for an insert, update or delete through a view. The argument of the trigger says what to do instead.
create or replace function tenuto_compat._refuse_write()
  returns trigger
  language plpgsql
as $$
begin
  perform tenuto._raise('TN003',
    format('%I.%I cannot be changed by %s', tg_table_schema, tg_table_name, lower(tg_op)), tg_argv[0]);
  return null;
end
$$;
