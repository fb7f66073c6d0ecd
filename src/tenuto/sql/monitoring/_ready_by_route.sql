-- Returns for each route how many tasks of an org are ready, since when the first one is ready, and the sum of their
-- waiting times. Counts up to 10,000 tasks per lane.
create or replace function tenuto._ready_by_route(p_org_id uuid)
  returns table (route_id int, ready bigint, queued_at timestamptz, waited_seconds float8)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with lane as materialized (
    select * from tenuto._org_lanes(p_org_id)
  )
  select l.route_id, sum(n.ready)::bigint, min(n.queued_at), sum(n.waited)::float8
  from lane l
  cross join lateral (
    select count(*) as ready, min(f.queued_at) as queued_at,
           coalesce(sum(extract(epoch from tenuto.now() - f.queued_at)), 0) as waited
    from (select q.queued_at from tenuto.ready_tasks q
          where q.route_id = l.route_id and q.group_no = l.group_no and q.priority = l.priority and q.seq >= l.floor
          order by q.seq limit 10000) f
  ) n
  group by 1;
$$;
