-- Raises TN003 for a page size that is not between 1 and 200.
create or replace function tenuto._check_page(p_limit int)
  returns void
  language plpgsql
  stable
as $$
begin
  if p_limit not between 1 and 200 then
    perform tenuto._raise('TN003', format('a page size of %s is not between 1 and 200', p_limit),
      'to get more, request the next page');
  end if;
end
$$;
