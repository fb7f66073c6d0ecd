-- Returns the routes on which tasks wait for other code. Uses one index lookup per route, however many tasks wait.
create or replace function tenuto._blocked_routes()
  returns table (org_id uuid, route_id int)
  language sql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_sort = off
  set jit = off
as $$
  with recursive blocked as (
    (select w.org_id, w.route_id
     from tenuto.waiting_tasks w
     where w.waits_for = 'code'
     order by w.org_id, w.route_id
     limit 1)
    union all
    select n.org_id, n.route_id
    from blocked b
    cross join lateral (
      select w.org_id, w.route_id
      from tenuto.waiting_tasks w
      where w.waits_for = 'code' and (w.org_id, w.route_id) > (b.org_id, b.route_id)
      order by w.org_id, w.route_id
      limit 1) n
  )
  select b.org_id, b.route_id from blocked b;
$$;
