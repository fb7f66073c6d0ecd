-- Refuses a name, key or reason that is empty or too long, in bytes: an index holds 2,704 of them, whatever the alphabet.
-- Null is none at all: a caller that needs one passes coalesce(…, '').
create or replace function tenuto._check_name(p_what text, p_name text, p_most int default 256)
  returns void
  language plpgsql
as $$
begin
  if p_name = '' then
    perform tenuto._raise('TN003', format('%s is missing or empty', p_what), format('write 1 to %s bytes', p_most));
  elsif octet_length(p_name) > p_most then
    perform tenuto._raise('TN003', format('%s has %s bytes, more than %s: %L', p_what, octet_length(p_name), p_most, left(p_name, 40) || '…'));
  end if;
end
$$;
