-- Returns how many ready tasks the workers of each pool of an org could take. Counts up to 10,000 tasks per lane.
-- Leaves out tasks of paused queues, and tasks bound to an address.
create or replace function tenuto._pool_work(p_org_id uuid)
  returns table (pool_id uuid, ready bigint)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with ready as materialized (
    select o.queue, o.type, o.labels, n.ready
    from tenuto._ready_by_route(p_org_id) n
    join tenuto.routes o on o.id = n.route_id
    where n.ready > 0
      and not o.paused
      and o.addresses = '{}'
  )
  select p.id, coalesce(sum(r.ready), 0)::bigint
  from tenuto.pools p
  left join ready r on (p.queues is null or r.queue = any (p.queues))
                   and (p.types is null or r.type = any (p.types))
                   and r.labels <@ p.labels
  where p.org_id = p_org_id
  group by 1;
$$;
