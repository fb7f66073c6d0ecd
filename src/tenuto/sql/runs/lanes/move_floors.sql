-- Moves the floor of every lane up to its first task, so that a claim does not read the dead rows below it while a long
-- transaction holds vacuum back. A task that commits later with a lower number is below the floor. If its commit may
-- take long, its start inserts an arrival. Other tasks below the floor are found by calls with p_from_bottom, which
-- search from zero. Marks empty lanes: sweep_lanes removes them, and claims that sample among many groups skip them.
-- With many lanes a call checks a random part of them, about 2,000. With p_from_bottom it checks all lanes, and also
-- the floors of limits and of due work. Also moves the floor of arrivals, if that skips enough dead rows.
create or replace function tenuto.move_floors(p_from_bottom boolean default false)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_found tenuto.lane_floor[];
  v_count bigint := 0;
  v_parts int := case when p_from_bottom then 1 else (select 1 + count(*) / 2000 from tenuto.ready_lanes) end;
begin
  perform tenuto._require_read_committed();
  -- Searches without locks for lanes that seem to need a move, because most lanes need none.
  v_found := array(select f from tenuto._find_floors(null, p_from_bottom, v_parts) f);
  if v_found <> '{}' then
    -- Locks these lanes and checks them again. An arrival that was processed before the lock is seen; a later arrival
    -- stays until the lock is free.
    v_found := array(
      select (l.route_id, l.group_no, l.priority, null, null)::tenuto.lane_floor
      from unnest(v_found) f
      join tenuto.ready_lanes l on l.route_id = f.route_id and l.group_no = f.group_no and l.priority = f.priority
      order by l.route_id, l.group_no, l.priority
      for no key update of l skip locked);
    update tenuto.ready_lanes l
    set floor = coalesce(f.floor, l.floor), empty_since = f.empty_since
    from tenuto._find_floors(v_found, p_from_bottom) f
    where l.route_id = f.route_id and l.group_no = f.group_no and l.priority = f.priority;
    get diagnostics v_count = row_count;
  end if;

  if p_from_bottom then
    perform tenuto._wake_routes(tenuto._follow_arrivals(p_first => 0));
    perform tenuto._move_limit_floors();
    perform tenuto._move_due_floors();
  end if;
  update tenuto.arrival_floor f
  set floor = n.floor
  from (
    select coalesce(
      (select min(a.id) from tenuto.arrivals a),
      pg_sequence_last_value('tenuto.arrivals_id_seq')) as floor
  ) n
  where n.floor > f.floor + 5000;
  return v_count;
end
$$;
