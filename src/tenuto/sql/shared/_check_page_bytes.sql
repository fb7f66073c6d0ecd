-- Raises TN007 for a page whose values have more than 16 MB together. A row has at most 2 MB, so a page of 5 rows is
-- never rejected.
create or replace function tenuto._check_page_bytes(p_bytes bigint)
  returns void
  language plpgsql
  immutable
as $$
begin
  if p_bytes > tenuto._max_output_bytes() then
    perform tenuto._raise('TN007', 'the values of this page have more than 16 MB together',
      'request a smaller page, for example with limit=5');
  end if;
end
$$;
