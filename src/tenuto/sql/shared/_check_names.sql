-- Raises TN003 for a list of more than p_max names, and for a name in the list that is missing, empty or too long.
create or replace function tenuto._check_names(p_what text, p_names text[], p_max int default 256)
  returns void
  language plpgsql
as $$
begin
  if cardinality(p_names) > p_max then
    perform tenuto._raise('TN003', format('%s are too many: %s, more than %s', p_what, cardinality(p_names), p_max));
  end if;
  perform tenuto._check_name('one of ' || p_what, coalesce(n, '')) from unnest(p_names) n;
end
$$;
