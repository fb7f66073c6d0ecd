-- The rows go back to places that their lanes' floors may have passed: claims look there again. Always changes the
-- floor, so that a move_floors that did not see these rows notices that its answer is old.
create or replace function tenuto._lower_floors(p_running tenuto.running_tasks[])
  returns void
  language sql
as $$
  with lane as materialized (
    select l.route_id, l.group_no, l.priority, b.seq
    from (select r.route_id, r.group_no, r.priority, min(r.seq) as seq from unnest(p_running) r group by 1, 2, 3) b
    join tenuto.ready_lanes l using (route_id, group_no, priority)
    order by 1, 2, 3
    for no key update of l
  )
  update tenuto.ready_lanes l
  set floor = least(l.floor, lane.seq) - 1, empty_since = null
  from lane
  where (l.route_id, l.group_no, l.priority) = (lane.route_id, lane.group_no, lane.priority);
$$;
