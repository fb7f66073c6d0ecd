-- Wakes the workers of the queues in which these orgs have ready tasks. This is for transitions that do not know which
-- tasks they made ready: a completion may release tasks, and the limit slots that it frees may admit other tasks. Reads
-- one row per lane of the orgs, and the arrivals that no claim has processed yet.
create or replace function tenuto._wake_ready(p_org_ids uuid[])
  returns void
  language sql
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
  select tenuto._wake(q.queue)
  from (
    select o.queue
    from tenuto.routes o
    where o.org_id = any (p_org_ids)
      and not o.paused
      and exists (
        select
        from tenuto.ready_lanes l
        cross join lateral (
          select
          from tenuto.ready_tasks t
          where t.route_id = l.route_id and t.group_no = l.group_no and t.priority = l.priority and t.seq >= l.floor
          order by t.seq
          limit 1
        ) first
        where l.route_id = o.id)
    union
    select o.queue
    from tenuto.arrivals a
    join tenuto.routes o on o.id = a.route_id and not o.paused
    cross join lateral (   -- not `exists`: the planner turned it into a join with all ready tasks
      select
      from tenuto.ready_tasks t
      where t.route_id = a.route_id and t.group_no = a.group_no and t.priority = a.priority and t.seq >= a.seq
      order by t.seq
      limit 1
    ) first
    where a.id >= (select f.floor from tenuto.arrival_floor f)
      and a.org_id = any (p_org_ids)
  ) q;
$$;
