-- Returns those machines of a pool that have not ended, newest first. Each row has the status of the machine, how many
-- tasks it runs, and for how long it has been idle.
create or replace function tenuto.list_pool_machines(p_org_id uuid, p_name text, p_limit int default 200)
  returns table (
    id text, status text, provider_id text, running int, idle_seconds float8, created_at timestamptz,
    has_registered boolean, external boolean, error text)
  language plpgsql
  stable
as $$
declare
  v_pool_id uuid := tenuto._find_pool(p_org_id, p_name);
begin
  perform tenuto._check_page(p_limit);
  return query
  select m.id, m.status, m.provider_id, m.running, m.idle_seconds, m.created_at, m.has_registered, m.external,
         left(m.error, 1024)
  from tenuto._pool_machines(p_org_id, v_pool_id) m
  order by m.created_at desc, m.id
  limit p_limit;
end
$$;
