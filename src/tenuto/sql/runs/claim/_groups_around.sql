-- Returns the first p_count resource groups from p_place on (before it, if p_ahead is false), in the order of the
-- hashes of their numbers. Counts only groups with lanes on these routes that are not marked as empty. The order is
-- circular: after the last hash, it continues with the first. A loose index scan reads one row per group and route,
-- however many lanes a group has.
create or replace function tenuto._groups_around(p_routes int[], p_place int, p_count int, p_ahead boolean)
  returns int[]
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  -- Without this setting, all lanes of a route are read by their key and sorted if the statistics show few lanes.
  set enable_sort = off
  set jit = off
as $$
declare
  v_found int[] := '{}';
  v_turn int[];
begin
  for v_round in 1..2   -- first from p_place, then from the other end of the order
  loop
    if p_ahead then
      with recursive step(place, group_no, no) as (
        select case when v_round = 1 then p_place else -2147483648 end, -1, 0
        union all
        select n.place, n.group_no, s.no + 1
        from step s
        cross join lateral (
          select l.place, l.group_no
          from unnest(p_routes) r(id)
          cross join lateral (
            select hashint4(q.group_no) as place, q.group_no
            from tenuto.ready_lanes q
            where q.route_id = r.id and q.empty_since is null
              and (hashint4(q.group_no), q.group_no) > (s.place, s.group_no)
            order by hashint4(q.group_no), q.group_no limit 1
          ) l
          order by 1, 2 limit 1
        ) n
        where s.no < p_count
      )
      select array_agg(s.group_no order by s.no) into v_turn from step s where s.no > 0;
    else
      with recursive step(place, group_no, no) as (
        select case when v_round = 1 then p_place else 2147483647 end,
               case when v_round = 1 then -1 else 2147483647 end, 0
        union all
        select n.place, n.group_no, s.no + 1
        from step s
        cross join lateral (
          select l.place, l.group_no
          from unnest(p_routes) r(id)
          cross join lateral (
            select hashint4(q.group_no) as place, q.group_no
            from tenuto.ready_lanes q
            where q.route_id = r.id and q.empty_since is null
              and (hashint4(q.group_no), q.group_no) < (s.place, s.group_no)
            order by hashint4(q.group_no) desc, q.group_no desc limit 1
          ) l
          order by 1 desc, 2 desc limit 1
        ) n
        where s.no < p_count
      )
      select array_agg(s.group_no order by s.no) into v_turn from step s where s.no > 0;
    end if;
    v_found := v_found || array(
      select t.g from unnest(v_turn) with ordinality t(g, no) where t.g <> all (v_found) order by t.no);
    exit when cardinality(v_found) >= p_count;
  end loop;
  return v_found[1:p_count];
end
$$;
