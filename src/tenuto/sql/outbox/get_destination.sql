-- Returns the URL and the encrypted secret with which a dispatcher delivers to a destination. Raises TN001 if there is
-- none. Only dispatchers can read secrets.
create or replace function tenuto.get_destination(p_org_id uuid, p_name text)
  returns table (url text, secret bytea)
  language plpgsql
  stable
as $$
begin
  return query
  select d.url, d.secret from tenuto.destinations d where d.org_id = p_org_id and d.name = p_name;
  if not found then
    perform tenuto._raise('TN001', format('no destination %L', left(p_name, 100)),
      'list the destinations to see which exist');
  end if;
end
$$;
