-- Returns true, or raises TN011 if the transaction is not READ COMMITTED. Functions that read after they have locked a
-- row call it first: at another level they would not see what the transaction that had locked the row before has
-- changed, and a task could wait forever. p_call: what is not possible at another level.
create or replace function tenuto._require_read_committed(p_call text default 'this call')
  returns boolean
  language plpgsql
  stable
as $$
begin
  if current_setting('transaction_isolation') not in ('read committed', 'read uncommitted') then
    perform tenuto._raise('TN011',
      format('%s is not possible in a transaction that is %s', p_call, current_setting('transaction_isolation')),
      'make it in a transaction that begins with isolation level read committed, or outside of one; a start without '
      'dedupe key or limit works at every level');
  end if;
  return true;
end
$$;
