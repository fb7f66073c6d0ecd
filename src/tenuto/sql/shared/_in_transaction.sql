-- Whether this statement may be part of a transaction that its client keeps open. One that is a transaction of its own
-- began when that did: in the simple protocol at the same moment; in the extended one the transaction began with the
-- portal of the statement (Bind), a moment before it was executed. One that is also parsed in the same go cannot be
-- told from a statement of a longer transaction, and counts as such.
create or replace function tenuto._in_transaction()
  returns boolean
  language plpgsql
  stable
as $$
begin
  return statement_timestamp() <> transaction_timestamp()
    and not exists (select from pg_catalog.pg_cursors c where c.name = '' and c.creation_time = transaction_timestamp());
end
$$;
