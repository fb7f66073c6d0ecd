-- Raises TN003 unless the scope is key, queue or rate. Null is accepted.
create or replace function tenuto._check_limit_scope(p_scope text)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_scope not in ('key', 'queue', 'rate') then
    perform tenuto._raise('TN003', format('%L is not a scope of a limit', left(p_scope, 100)),
      'write key, queue or rate');
  end if;
end
$$;
