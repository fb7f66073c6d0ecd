-- Returns the earliest time at which relax_placement can move a task from a soft route (see place_object) to the route
-- of all workers: two seconds after the task was queued. Uses one index lookup per lane of a soft route. It must check
-- every lane: if the workers at the address of the route serve only one lane, the first task of that lane is always
-- new, while tasks of other lanes wait.
create or replace function tenuto._next_placement()
  returns timestamptz
  language sql
  stable
as $$
  select min(t.queued_at) + interval '2 seconds'
  from tenuto.routes r
  join tenuto.ready_lanes l on l.route_id = r.id
  cross join lateral (
    select t.queued_at
    from tenuto.ready_tasks t
    where t.route_id = l.route_id
      and t.group_no = l.group_no
      and t.priority = l.priority
      and t.seq >= l.floor
      and not exists (select from tenuto.parked_rows p where p.loop = 'relax_placement' and p.key = t.id::text)
    order by t.seq
    limit 1
  ) t
  where r.soft;
$$;
