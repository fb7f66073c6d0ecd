-- Returns the pools of these providers that this dispatcher controls. These are the pools that it controls already, and
-- the pools that no dispatcher controls. Renews the lease of a pool when half of the lease is over. One dispatcher
-- controls a pool at a time. When a dispatcher dies, its leases expire, and other dispatchers take its pools. p_org_id:
-- if set, only the pools of this org. A dispatcher passes it if this org pays for the machines of its providers. On a
-- copy of the database, no dispatcher controls pools (_copy_problem).
create or replace function tenuto.take_pools(
  p_dispatcher_id uuid, p_providers text[], p_lease interval default '10 seconds', p_org_id uuid default null,
  p_installation text default null, p_store text default null)
  returns table (org_id uuid, pool_id uuid, name text, provider text, org text)
  language plpgsql
as $$
begin
  if tenuto._copy_problem(p_installation, p_store) is not null then
    return;
  end if;
  update tenuto.pools p
  set controlled_by = p_dispatcher_id, controlled_until = tenuto.now() + p_lease
  where p.id = any (array(
    select f.id
    from tenuto.pools f
    where f.provider = any (p_providers)
      and (p_org_id is null or f.org_id = p_org_id)
      and (f.controlled_until is null or f.controlled_until < tenuto.now()
           or (f.controlled_by = p_dispatcher_id and f.controlled_until < tenuto.now() + p_lease / 2))
    order by f.id
    for no key update skip locked));
  return query
  select p.org_id, p.id, p.name, p.provider, o.slug
  from tenuto.pools p
  join tenuto.orgs o on o.id = p.org_id
  where p.provider = any (p_providers)
    and (p_org_id is null or p.org_id = p_org_id)
    and p.controlled_by = p_dispatcher_id
    and p.controlled_until >= tenuto.now()
  order by p.id;
end
$$;
