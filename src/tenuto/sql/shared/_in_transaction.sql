-- Returns true if this statement may be part of a transaction that its client keeps open. A statement that is a whole
-- transaction is recognized by the time at which the transaction began. In the simple protocol, this is the time of the
-- statement. In the extended protocol, it is the time of the statement's portal (Bind), shortly before the statement is
-- executed. If Parse is sent in the same message batch, the transaction begins with Parse. Such a statement cannot be
-- distinguished from a statement in a longer transaction, so the result is true. The result is also true for a call by
-- a function, a trigger or a DO block of the client, because the client's statement may then run for a long time.
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
