-- Removes lanes that have been empty for a minute, and adds those that tasks are ready in and claims do not see: a
-- start may have taken so long that its lane was removed meanwhile. Nobody waits here: lanes that another transaction
-- holds are left.
create or replace function tenuto.sweep_lanes()
  returns table (added bigint, removed bigint)
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_lanes tenuto.card[];
begin
  with empty as materialized (
    select l.ctid as tid
    from tenuto.ready_lanes l
    where l.empty_since < tenuto.now() - interval '1 minute'
    for update skip locked
  )
  delete from tenuto.ready_lanes l
  where l.ctid = any (array(select tid from empty))
    and not exists (
      select from tenuto.ready_tasks q
      where q.route_id = l.route_id and q.group_no = l.group_no and q.priority = l.priority);
  get diagnostics removed = row_count;

  -- A loose index scan: one step per lane, however many tasks wait in it.
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
  select array_agg((null, n.org_id, null, n.route_id, n.group_no, n.priority, 0, 0)::tenuto.card)
  into v_lanes
  from lane n
  where not exists (
    select from tenuto.ready_lanes l
    where l.route_id = n.route_id and l.group_no = n.group_no and l.priority = n.priority);
  added := case when v_lanes is null then 0 else tenuto._open_lanes(v_lanes) end;
  return next;
end
$$;
