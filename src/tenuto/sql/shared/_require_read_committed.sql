-- Returns true, or raises TN011 if the transaction is not READ COMMITTED. Functions that read after they have locked a
-- row call it first: at another level they would not see what the transaction that had locked the row before has
-- changed, and a task could wait forever. p_call: what is not possible at another level. Postgres inlines it: as the
-- condition of an `if` it costs 1 µs, with `perform` 7 µs. It must be the only condition: Postgres may not evaluate it
-- as an operand of an `and` whose other operand is false.
create or replace function tenuto._require_read_committed(p_call text default 'this call')
  returns boolean
  language sql
  stable
as $$
  select case when current_setting('transaction_isolation') in ('read committed', 'read uncommitted') then true
              else tenuto._refuse_isolation(p_call) end;
$$;
