-- Returns the highest priority of the ready tasks of a resource group on these routes. Reads the tasks themselves, so
-- that lanes that have become empty cost nothing.
create or replace function tenuto._top_priority(p_routes int[], p_group_no int)
  returns int
  language sql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
  select max(q.priority)
  from unnest(p_routes) r(id)
  cross join lateral (
    select t.priority from tenuto.ready_tasks t
    where t.route_id = r.id and t.group_no = p_group_no
    order by t.route_id desc, t.group_no desc, t.priority desc limit 1
  ) q;
$$;
