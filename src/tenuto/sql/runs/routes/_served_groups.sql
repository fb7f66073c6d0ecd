-- Returns the resource groups (null: all) of these routes from which workers that are alive can claim. A worker claims
-- from a route that it can serve (see _served_routes), if the queue and type of the route are among those with which it
-- registered. Workers that differ only in their addresses are compared once, because 100 routes and 1,000 workers took
-- 3 s otherwise.
create or replace function tenuto._served_groups(p_route_ids int[])
  returns table (route_id int, group_no int)
  language sql
  stable
  set enable_seqscan = off
  set jit = off
as $$
  with alive as materialized (
    select w.org_id, w.languages, w.labels, s.queues, w.metadata -> 'queues' as own_queues,
           w.metadata -> 'types' as types, w.metadata ? 'bundles' as bundles,
           w.metadata ->> 'resource_group' as resource_group,
           coalesce(left(w.metadata ->> 'code_version', 64), '') as version,
           array_agg(distinct w.address) as addresses
    from tenuto.sessions s
    join tenuto.workers w on w.org_id = s.org_id and w.id = s.worker_id and w.status = 'active'
    where s.ended_at is null and s.expires_at >= tenuto.now()
      and s.org_id in (select r.org_id from tenuto.routes r where r.id = any (p_route_ids))
    group by 1, 2, 3, 4, 5, 6, 7, 8, 9
  ), served as (
    select distinct r.id, a.org_id, a.resource_group
    from tenuto.routes r
    join alive a on a.org_id = r.org_id
    left join tenuto.bundle_types b on b.org_id = r.org_id and b.type = r.type
    where r.id = any (p_route_ids)
      and r.language = any (a.languages)
      and r.labels <@ a.labels
      and (r.addresses = '{}' or r.addresses && a.addresses)
      and (a.queues is null or r.queue = any (a.queues))
      and (jsonb_typeof(a.own_queues) is distinct from 'array' or a.own_queues ? r.queue)
      and (jsonb_typeof(a.types) is distinct from 'array' or a.types ? r.type or (a.bundles and b.type is not null))
      and case when a.bundles and b.type is not null and not coalesce(a.types ? r.type, false)
               then b.sha256 else a.version end <> all (r.blocked_versions)
  )
  select distinct s.id, g.no
  from served s
  left join tenuto.resource_groups g on g.org_id = s.org_id and g.external_id = s.resource_group
  where s.resource_group is null
     or (g.no is not null
         and not exists (select from served o where o.id = s.id and o.resource_group is null));
$$;
