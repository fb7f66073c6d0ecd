-- Returns true if this statement may be part of a transaction that its client keeps open. If a statement is a whole
-- transaction, both begin together. In the simple protocol, they begin at the same time. In the extended protocol, the
-- transaction begins with the portal of the statement (Bind), shortly before the statement is executed. If Parse is
-- sent in the same message batch, the statement cannot be distinguished from a statement in a longer transaction, and
-- the result is true. The result is also true for a call by a function, a trigger or a DO block of the client, because
-- the client's statement may then run for a long time.
create or replace function tenuto._in_transaction()
  returns boolean
  language plpgsql
  stable
as $$
declare
  v_callers text;
begin
  if statement_timestamp() <> transaction_timestamp()
     and not exists (
       select from pg_catalog.pg_cursors c where c.name = '' and c.creation_time = transaction_timestamp())
  then
    return true;
  end if;
  get diagnostics v_callers = pg_context;
  -- No regular expression, which would take four times as long.
  return replace(v_callers, 'PL/pgSQL function tenuto.', '') like '%PL/pgSQL function %';
end
$$;
