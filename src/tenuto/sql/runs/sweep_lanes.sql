-- Removes lanes that have been empty for a minute, and adds those that tasks wait in and nobody sees: a start may have
-- been in flight while its lane was removed.
create or replace function tenuto.sweep_lanes()
  returns table (added bigint, removed bigint)
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
begin
  delete from tenuto.ready_lanes l
  where l.empty_since < tenuto.now() - interval '1 minute'
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
  ), new as (
    insert into tenuto.ready_lanes (route_id, group_no, priority, org_id)
    select route_id, group_no, priority, org_id from lane
    on conflict do nothing
    returning 1
  )
  select count(*) into added from new;
  return next;
end
$$;
