-- Moves the floor of every lane up to its first task, so that a claim does not read the dead rows below while a long
-- transaction holds vacuum back. A task that commits later with a lower number is below the floor: p_from_bottom looks
-- from zero again. Lanes found empty are noted for sweep_lanes.
create or replace function tenuto.move_floors(p_from_bottom boolean default false)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_count bigint;
begin
  with found as materialized (
    select l.route_id, l.group_no, l.priority, l.floor, l.empty_since, f.seq
    from tenuto.ready_lanes l
    left join lateral (
      select q.seq from tenuto.ready_tasks q
      where q.route_id = l.route_id and q.group_no = l.group_no and q.priority = l.priority
        and q.seq >= case when p_from_bottom then 0 else l.floor end
      order by q.seq limit 1
    ) f on true
  ), free as materialized (
    select l.route_id, l.group_no, l.priority
    from tenuto.ready_lanes l
    order by l.route_id, l.group_no, l.priority
    for update skip locked
  ), moved as (
    update tenuto.ready_lanes l
    set floor = coalesce(f.seq, l.floor), empty_since = case when f.seq is null then coalesce(l.empty_since, tenuto.now()) end
    from found f
    join free using (route_id, group_no, priority)
    where (l.route_id, l.group_no, l.priority) = (f.route_id, f.group_no, f.priority)
      and l.floor = f.floor   -- else tasks were given back there since, which `found` may not have seen
      and (coalesce(f.seq, l.floor) <> l.floor or (f.seq is null) <> (l.empty_since is not null))
    returning 1
  )
  select count(*) into v_count from moved;
  return v_count;
end
$$;
