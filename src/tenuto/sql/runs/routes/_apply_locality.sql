-- Returns the queued tasks, with routes to the workers near their data objects. A task whose inputs include objects
-- with hard addresses (place_object) gets a route to the workers at an address that has all these objects. A task with
-- only soft addresses gets a soft route to one address: the address that has the most of the task's objects, among
-- those with a worker that is alive. If no address has such a worker, the task gets the route of all workers. A soft
-- route has only one address, because routes are never removed, and sets of addresses would make too many routes.
create or replace function tenuto._apply_locality(p_queued tenuto.queued_task[])
  returns tenuto.queued_task[]
  language plpgsql
as $$
declare
  v_queued tenuto.queued_task[] := p_queued;
  v_task record;
begin
  for v_task in
    with place as materialized (
      select c.no, c.route_id, o.id as object_id, l.address, l.hard
      from unnest(p_queued) with ordinality as c(id, org_id, run_id, route_id, group_no, priority, attempt, flags, no)
      join tenuto.tasks t on t.id = c.id and t.has_slots
      cross join lateral tenuto._task_objects(t.id) as o(id)
      join tenuto.data_locality l on l.org_id = t.org_id and l.object_id = o.id
    ), task as materialized (
      select p.no, p.route_id, count(distinct p.object_id) filter (where p.hard) as needed from place p group by 1, 2
    ), address as materialized (
      select p.no, p.address, count(*) filter (where p.hard) as hard, count(*) as held from place p group by 1, 2
    ), alive as materialized (
      select distinct w.org_id, w.address
      from tenuto.workers w
      join tenuto.sessions s on s.org_id = w.org_id and s.worker_id = w.id
      where w.org_id in (select c.org_id from unnest(p_queued) c)
        and w.status = 'active' and s.ended_at is null and s.expires_at >= tenuto.now()
    )
    select r.*, t.no, t.needed > 0 as bound,
           case when t.needed > 0
                then array(select a.address from address a where a.no = t.no and a.hard = t.needed)
                else array(
                  select a.address
                  from address a
                  where a.no = t.no
                    and exists (select from alive l where l.org_id = r.org_id and l.address = a.address)
                  order by a.held desc, random()
                  limit 1)
           end as places
    from task t
    join tenuto.routes r on r.id = t.route_id
  loop
    -- If no single address has all objects with hard addresses, the task gets a route that no worker serves, and
    -- `tenuto why` can show the reason.
    v_queued[v_task.no].route_id := tenuto._intern_route(
      v_task.org_id, v_task.queue, v_task.type, v_task.language, v_task.labels,
      case when v_task.bound and v_task.places = '{}' then array['nowhere'] else v_task.places end,
      v_task.blocked_versions, not v_task.bound and v_task.places <> '{}');
  end loop;
  return v_queued;
end
$$;
