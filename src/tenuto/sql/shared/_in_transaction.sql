-- Returns true if this statement may be part of a transaction that its client keeps open. A statement that is a whole
-- transaction begins with it: in the simple protocol at the same moment; in the extended protocol the transaction
-- begins with the portal of the statement (Bind), a moment before it is executed. A statement that is parsed in the
-- same message batch cannot be told from one in a longer transaction, and counts as such. So does a call by a function,
-- a trigger or a DO block of the client, whose statement may go on for long.
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
  return v_callers ~ 'PL/pgSQL function (?!tenuto\.)';
end
$$;
