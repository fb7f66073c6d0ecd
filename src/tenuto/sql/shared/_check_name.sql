-- Raises TN003 for a name, key or reason that is empty or has more than p_max bytes. The bound exists because an index
-- entry holds at most 2,704 bytes. Null is accepted: a caller that requires a name passes coalesce(…, '').
create or replace function tenuto._check_name(p_what text, p_name text, p_max int default 256)
  returns void
  language plpgsql
as $$
begin
  if p_name = '' then
    perform tenuto._raise('TN003', format('%s is missing or empty', p_what), format('write 1 to %s bytes', p_max));
  elsif octet_length(p_name) > p_max then
    perform tenuto._raise('TN003',
      format('%s has %s bytes, more than %s: %L', p_what, octet_length(p_name), p_max, left(p_name, 40) || '…'));
  end if;
end
$$;
