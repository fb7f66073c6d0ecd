-- Raises TN011: the call is not possible at the isolation level of the transaction.
create or replace function tenuto._refuse_isolation(p_call text)
  returns boolean
  language plpgsql
  stable
as $$
begin
  perform tenuto._raise('TN011',
    format('%s is not possible in a transaction that is %s', p_call, current_setting('transaction_isolation')),
    'make it in a transaction that begins with isolation level read committed, or outside of one; a start without '
    'dedupe key or limit works at every level');
  return false;
end
$$;
