-- Returns the resource groups that a claim serves and how many tasks the claim may take from each: the share of p_limit
-- that the group's weight gives it, within its quota. Groups come in random order, and the fractions of all shares are
-- rounded with one random number. So over many claims, each group gets its share, even if the claims are small: with
-- weights 2 and 1 and p_limit 1, two of three claims serve the first group. If these routes have 64 lanes or more
-- (many), up to 64 groups are sampled, and up to 16 groups with the largest weights are added. A group that is sampled
-- with a chance of 1 in 300 counts 300 times, so that over many claims every group gets its weight's share. If p_round
-- is 2 or higher, the claim may take up to p_limit tasks from each group. If many is also true, groups are found by
-- reading the tasks themselves, because the first round may have left lanes unread. In this case, only groups with a
-- number above p_after are returned. tops: for each group, the highest priority to read. p_only: only this group.
-- named: the groups that are not the default group of their org.
create or replace function tenuto._allocate_shares(
  p_routes int[], p_limit int, p_round int, p_only int, p_after int,
  out groups int[], out shares int[], out tops int[], out candidates int, out many boolean, out last int,
  out named int[])
  language plpgsql
as $$
declare
  v_chances float8[];
  v_luck float8 := random();
  v_quotas boolean;
begin
  groups := array(select a.group_no from tenuto.ready_lanes a where a.route_id = any (p_routes) limit 64);
  many := cardinality(groups) = 64;
  if cardinality(groups) > 1 and not many then
    groups := array(select distinct g from unnest(groups) g order by 1);
  end if;
  if many and p_round > 1 then
    groups := case when p_only is null then tenuto._groups_with_work(p_routes, p_after) else array[p_only] end;
  elsif p_only is not null then
    groups := case when many then array[p_only] else array(select g from unnest(groups) g where g = p_only) end;
  elsif many then
    select s.groups, s.chances
    into groups, v_chances
    from tenuto._sample_groups(p_routes, least(greatest(p_limit / 8, 2), 8)) s;
    if v_chances[1] < 1 then
      select s.groups, s.chances into groups, v_chances from tenuto._add_heavy_groups(p_routes, groups, v_chances) s;
    end if;
  end if;
  candidates := cardinality(groups);
  last := groups[candidates];   -- the highest number: after the first round, groups come in order
  if candidates = 0 then
    groups := null;
    return;
  end if;
  if candidates = 1 and not (many and p_round > 1) then
    shares := array[p_limit];
    tops := array[2147483647];
    select case when g.external_id <> 'default' then groups end, g.quota is not null
    into named, v_quotas
    from tenuto.resource_groups g
    where g.no = groups[1];
  else
    select array_agg(s.no order by s.turn),
           array_agg(s.share order by s.turn),
           array_agg(
             case when many and p_round > 1 then tenuto._top_priority(p_routes, s.no) else 2147483647 end
             order by s.turn)
    into groups, shares, tops
    from (
      select d.no, d.turn,
             case when p_round > 1 then p_limit
                  else floor(d.ends + v_luck)::int - floor(d.ends - d.part + v_luck)::int end as share
      from (
        select w.no, w.turn, w.part, sum(w.part) over (order by w.turn) as ends
        from (
          select g.no, -ln(1 - random()) * n.chance / g.weight as turn,
                 p_limit * (g.weight / n.chance) / sum(g.weight / n.chance) over () as part
          from (select u.no, coalesce(u.chance, 1) as chance from unnest(groups, v_chances) u(no, chance)) n
          join tenuto.resource_groups g on g.no = n.no
        ) w
      ) d
    ) s
    where s.share > 0;
    select array_agg(g.no) filter (where g.external_id <> 'default'), bool_or(g.quota is not null)
    into named, v_quotas
    from tenuto.resource_groups g
    where g.no = any (groups);
  end if;
  if v_quotas then
    select k.groups, k.shares, k.tops into groups, shares, tops from tenuto._apply_quotas(groups, shares, tops) k;
  end if;
end
$$;
