-- The resource groups with lanes on these routes, at most 64: those after p_after, then those before.
create or replace function tenuto._active_groups(p_routes int[], p_after int)
  returns int[]
  language sql
  stable
as $$
  select array(
    select g.group_no
    from (
      select distinct l.group_no <= p_after as later, l.group_no
      from unnest(p_routes) r(id)
      cross join lateral (
        (select distinct a.group_no from tenuto.ready_lanes a where a.route_id = r.id and a.group_no > p_after order by a.group_no limit 64)
        union all
        (select distinct a.group_no from tenuto.ready_lanes a where a.route_id = r.id and a.group_no <= p_after order by a.group_no limit 64)
      ) l
      order by 1, 2
      limit 64
    ) g);
$$;
