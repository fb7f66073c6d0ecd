-- Adds resource groups with large weights to the sampled groups. Considers the 16 groups of the org with the highest
-- weights above 1, and adds those that have lanes on these routes. So every claim considers these groups, even if they
-- were not sampled.
create or replace function tenuto._add_heavy_groups(
  p_routes int[], p_groups int[], p_chances float8[], out groups int[], out chances float8[])
  language sql
  stable
as $$
  with heavy as materialized (
    select g.no
    from tenuto.resource_groups g
    where g.org_id = (select r.org_id from tenuto.routes r where r.id = p_routes[1])
      and g.weight > 1
    order by g.weight desc, g.no
    limit 16
  ), active as materialized (
    select h.no
    from heavy h
    where exists (
      select from unnest(p_routes) r(id)
      cross join lateral (
        select from tenuto.ready_lanes l where l.route_id = r.id and l.group_no = h.no limit 1
      ) x)
  )
  select array_agg(u.no order by u.no), array_agg(u.chance order by u.no)
  from (
    select a.no, 1::float8 as chance from active a
    union all
    select d.no, d.chance from unnest(p_groups, p_chances) d(no, chance) where d.no not in (select a.no from active a)
  ) u;
$$;
