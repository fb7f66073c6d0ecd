-- Which resource groups a claim serves (at most 64; where there are more, from a random one on) and how many tasks each
-- may give: its weight's share of p_limit, within its quota. Groups come in random order and fractions are rounded by
-- one random number, so that claims of any size add up to the weights. p_greedy: each may give all that is left.
-- A group with a quota is counted under its row lock, so it never runs more; one that another claim is counting right
-- now is left to that one. p_only: no other group than this.
create or replace function tenuto._share_out(
  p_routes int[], p_limit int, p_greedy boolean, p_only int,
  out groups int[], out shares int[], out candidates int)
  language plpgsql
  set jit = off
as $$
declare
  v_counted int[];
  v_chance float8 := random();
  v_lanes int;
begin
  select coalesce(array_agg(distinct l.group_no), '{}'), count(*)
  into groups, v_lanes
  from (select a.group_no from tenuto.ready_lanes a where a.route_id = any (p_routes) limit 64) l;
  if v_lanes = 64 then   -- there are more than were read
    groups := tenuto._active_groups(p_routes, coalesce(p_only - 1, 0));
  end if;
  if p_only is not null then
    groups := array(select g from unnest(groups) g where g = p_only);
  elsif cardinality(groups) = 64 then
    groups := tenuto._active_groups(p_routes, floor(random() * (select max(no) from tenuto.resource_groups))::int);
  end if;
  candidates := cardinality(groups);
  if candidates = 0 then
    groups := null;
    return;
  end if;

  if exists (select from tenuto.resource_groups where no = any (groups) and quota is not null) then
    v_counted := array(
      select g.no from tenuto.resource_groups g
      where g.no = any (groups) and g.quota is not null
      order by g.no
      for no key update skip locked);
  elsif candidates = 1 then
    shares := array[p_limit];
    return;
  end if;

  select array_agg(s.no order by s.turn), array_agg(s.share order by s.turn)
  into groups, shares
  from (
    select d.no, d.turn,
           least(case when p_greedy then p_limit
                      else floor(d.ends + v_chance)::int - floor(d.ends - d.part + v_chance)::int end,
                 d.quota - (select count(*) from tenuto.running_tasks r where r.group_no = d.no and d.quota is not null)) as share
    from (
      select w.no, w.quota, w.turn, w.part, sum(w.part) over (order by w.turn) as ends
      from (
        select g.no, g.quota, -ln(1 - random()) / g.weight as turn, p_limit * g.weight::float8 / sum(g.weight) over () as part
        from tenuto.resource_groups g
        where g.no = any (groups) and (g.quota is null or g.no = any (v_counted))
      ) w
    ) d
  ) s
  where s.share > 0;
end
$$;
