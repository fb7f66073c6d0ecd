-- Returns the queued tasks of an org that no live worker can take, by route and resource group, with the reason. The
-- tasks that have waited longest come first. tasks is counted up to 1000. Leaves out tasks of paused queues, and tasks
-- whose placement is only preferred (soft), because other workers can take these later.
create or replace function tenuto.list_unserved(p_org_id uuid, p_limit int default 50)
  returns table (queue text, type text, tasks bigint, queued_at timestamptz, reason text)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with lane as materialized (
    select * from tenuto._org_lanes(p_org_id)
  ), queued as materialized (
    select l.route_id, l.group_no, sum(n.tasks)::bigint as tasks, min(n.queued_at) as queued_at
    from lane l
    cross join lateral (
      select count(*) as tasks, min(f.queued_at) as queued_at
      from (select q.queued_at from tenuto.ready_tasks q
            where q.route_id = l.route_id and q.group_no = l.group_no and q.priority = l.priority and q.seq >= l.floor
            order by q.seq limit 1000) f
    ) n
    where n.tasks > 0
    group by 1, 2
    order by 4
    limit 1000
  )
  select o.queue, o.type, least(q.tasks, 1000), q.queued_at, w.reason
  from queued q
  join tenuto.routes o on o.id = q.route_id and not o.paused and not o.soft
  cross join lateral (select tenuto._why_no_worker(o, q.group_no) as reason offset 0) w
  where w.reason is not null
  order by q.queued_at
  limit p_limit;
$$;
