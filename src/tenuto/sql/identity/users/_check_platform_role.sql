-- Raises TN003 for an unknown platform role. Null is accepted: it means that no role is given.
create or replace function tenuto._check_platform_role(p_platform_role text)
  returns void
  language plpgsql
  stable
as $$
begin
  if p_platform_role not in ('reader', 'writer', 'admin') then
    perform tenuto._raise('TN003', format('%L is not a platform role', left(p_platform_role, 100)),
      'write reader, writer or admin');
  end if;
end
$$;
