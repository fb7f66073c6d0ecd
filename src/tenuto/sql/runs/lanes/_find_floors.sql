-- Returns the lanes whose row is out of date, with the new values of the row: the position of the first task, or since
-- when the lane is empty. Checks the lanes p_lanes. If p_lanes is null, divides all lanes into p_parts parts and checks
-- one of the parts, chosen at random. p_from_bottom: also searches below the floor. The floor of an empty lane is
-- raised too if it is more than 6,000 starts behind the newest start. It is then set to 1,000 starts before the newest
-- one, so that the tasks of a short start that has not committed yet are above it.
create or replace function tenuto._find_floors(
  p_lanes tenuto.lane_floor[], p_from_bottom boolean, p_parts int default 1)
  returns setof tenuto.lane_floor
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_part int := floor(random() * p_parts);
  v_newest bigint := coalesce(pg_sequence_last_value('tenuto.ready_seq'), 0);
begin
  return query
  select l.route_id, l.group_no, l.priority,
         coalesce(f.seq, case when l.floor < (v_newest - 6000) << 20 then (v_newest - 1000) << 20 end),
         case when f.seq is null then coalesce(l.empty_since, tenuto.now()) end
  from tenuto.ready_lanes l
  left join lateral (
    select q.seq from tenuto.ready_tasks q
    where q.route_id = l.route_id and q.group_no = l.group_no and q.priority = l.priority
      and q.seq >= case when p_from_bottom then 0 else l.floor end
    order by q.seq limit 1
  ) f on true
  where (case when p_lanes is null then (hashint4(l.group_no # l.priority) & 2147483647) % p_parts = v_part
              else (l.route_id, l.group_no, l.priority) in (
                select n.route_id, n.group_no, n.priority from unnest(p_lanes) n) end)
    and (coalesce(f.seq, l.floor) <> l.floor or (f.seq is null) <> (l.empty_since is not null)
         or (f.seq is null and l.floor < (v_newest - 6000) << 20));
end
$$;
