-- any open state -> cancelled, for an update of a row of a view that sets the status or state of the row to the word
-- for cancelled and changes nothing else except updated_at. Raises TN003 for every other update. Arguments of the
-- trigger: "task" or "run", the word for cancelled, and the hint of the error, which says what to do instead.
-- Idempotent.
create or replace function tenuto_compat._cancel_or_refuse()
  returns trigger
  language plpgsql
as $$
declare
  v_new jsonb := to_jsonb(new);
  v_old jsonb := to_jsonb(old);
  v_column text := case when v_old ? 'state' then 'state' else 'status' end;
begin
  if v_new ->> v_column is distinct from tg_argv[1]
     or v_new - array[v_column, 'updated_at'] <> v_old - array[v_column, 'updated_at'] then
    perform tenuto._raise('TN003',
      format('an update of %I.%I can only set the %s to %s', tg_table_schema, tg_table_name, v_column, tg_argv[1]),
      tg_argv[2]);
  elsif v_old ->> v_column = tg_argv[1] then
    return new;
  elsif tg_argv[0] = 'run' then
    perform tenuto.cancel_run(tenuto_compat._org_id(), old.id);
  else
    perform tenuto.cancel_task(tenuto_compat._org_id(), old.id);
  end if;
  return new;
end
$$;
