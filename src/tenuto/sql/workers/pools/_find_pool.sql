-- Returns the id of a pool. Raises TN001 if there is no such pool.
create or replace function tenuto._find_pool(p_org_id uuid, p_name text)
  returns uuid
  language plpgsql
  stable
as $$
declare
  v_id uuid := (select p.id from tenuto.pools p where p.org_id = p_org_id and p.name = p_name);
begin
  if v_id is null then
    perform tenuto._raise('TN001', format('no pool %s', left(p_name, 256)), 'list the pools to see which exist');
  end if;
  return v_id;
end
$$;
