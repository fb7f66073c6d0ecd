-- Returns the org's queues with their numbers of tasks. ready is counted up to 10,000 per lane, delayed and waiting up
-- to 100,000 each in all queues of the org together, so that the call stays fast with millions of tasks.
-- oldest_ready_seconds: how long the oldest task has been ready.
create or replace function tenuto.list_queues(p_org_id uuid)
  returns table (
    name text, paused_at timestamptz, ready bigint, delayed bigint, waiting bigint, running bigint,
    oldest_ready_seconds float8)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with ready as materialized (
    select o.queue, sum(n.ready)::bigint as ready, min(n.queued_at) as queued_at
    from tenuto._ready_by_route(p_org_id) n
    join tenuto.routes o on o.id = n.route_id
    group by 1
  ), delayed as materialized (
    select o.queue, count(*) as delayed
    from (select d.route_id from tenuto.delayed_tasks d where d.org_id = p_org_id limit 100000) d
    join tenuto.routes o on o.id = d.route_id
    group by 1
  ), waiting as materialized (
    select o.queue, count(*) as waiting
    from (select w.route_id from tenuto.waiting_tasks w where w.org_id = p_org_id limit 100000) w
    join tenuto.routes o on o.id = w.route_id
    group by 1
  ), running as materialized (
    select o.queue, count(*) as running
    from tenuto.running_tasks u
    join tenuto.routes o on o.id = u.route_id
    where u.org_id = p_org_id
    group by 1
  ), queue as materialized (   -- includes queues without a row, which claims add when they open a lane
    select q.name, q.paused_at from tenuto.queues q where q.org_id = p_org_id
    union all
    select n.queue, null
    from (select r.queue from ready r union select d.queue from delayed d union select w.queue from waiting w) n
    where not exists (select from tenuto.queues q where q.org_id = p_org_id and q.name = n.queue)
  )
  select q.name, q.paused_at, coalesce(r.ready, 0), coalesce(d.delayed, 0), coalesce(w.waiting, 0),
         coalesce(u.running, 0), extract(epoch from tenuto.now() - r.queued_at)::float8
  from queue q
  left join ready r on r.queue = q.name
  left join delayed d on d.queue = q.name
  left join waiting w on w.queue = q.name
  left join running u on u.queue = q.name
  order by q.name;
$$;
