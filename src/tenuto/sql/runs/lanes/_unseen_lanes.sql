-- Returns lanes that have ready tasks but no row in ready_lanes, so that claims do not see them. A loose index scan
-- reads one row per lane, however many tasks wait in it.
create or replace function tenuto._unseen_lanes()
  returns table (route_id int, group_no int, priority int, org_id uuid)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with recursive lane(route_id, group_no, priority, org_id) as (
    (select q.route_id, q.group_no, q.priority, q.org_id from tenuto.ready_tasks q order by 1, 2, 3 limit 1)
    union all
    select n.route_id, n.group_no, n.priority, n.org_id
    from lane l
    cross join lateral (
      select q.route_id, q.group_no, q.priority, q.org_id
      from tenuto.ready_tasks q
      where (q.route_id, q.group_no, q.priority) > (l.route_id, l.group_no, l.priority)
      order by 1, 2, 3 limit 1
    ) n
  )
  select n.route_id, n.group_no, n.priority, n.org_id
  from lane n
  where not exists (
    select from tenuto.ready_lanes l
    where l.route_id = n.route_id and l.group_no = n.group_no and l.priority = n.priority);
$$;
