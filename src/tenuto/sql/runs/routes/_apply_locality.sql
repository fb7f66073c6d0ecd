-- Returns the queued tasks, with routes to the workers near their data objects. A task whose inputs include objects
-- with hard addresses (place_object) gets a route to the workers at an address that has all these objects. A task with
-- only soft addresses gets a soft route to one address: the address that has the most of the task's objects, among
-- those with a worker that is alive. If no address has such a worker, the task gets the route of all workers. A soft
-- route has only one address, because routes are never removed, and sets of addresses would make too many routes.
-- However many tasks and addresses are stored, only rows of these tasks are read: each look-up is lateral and by key,
-- regardless of the statistics. The tasks of an org without addresses cost one look-up per org.
create or replace function tenuto._apply_locality(p_queued tenuto.queued_task[])
  returns tenuto.queued_task[]
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_nos bigint[] := '{}';
  v_ids int[] := '{}';
  v_group record;
  v_id int;
begin
  if not exists (
    select from (select distinct c.org_id from unnest(p_queued) c) o
    cross join lateral (select from tenuto.data_locality l where l.org_id = o.org_id limit 1) l)
  then
    return p_queued;
  end if;

  for v_group in
    with place as materialized (
      select c.no, c.org_id, c.route_id, o.id as object_id, l.address, l.hard
      from unnest(p_queued) with ordinality as c(id, org_id, run_id, route_id, group_no, priority, attempt, flags, no)
      cross join lateral tenuto._task_objects(c.id) as o(id)
      cross join lateral (
        select l.address, l.hard
        from tenuto.data_locality l
        where l.org_id = c.org_id and l.object_id = o.id
        offset 0) l
    ), alive as materialized (
      select distinct w.org_id, w.address
      from (select distinct p.org_id from place p) o
      cross join lateral (
        select s.org_id, s.worker_id
        from tenuto.sessions s
        where s.org_id = o.org_id and s.ended_at is null and s.expires_at >= tenuto.now()
        offset 0) s
      cross join lateral (
        select w.org_id, w.address
        from tenuto.workers w
        where w.org_id = s.org_id and w.id = s.worker_id and w.status = 'active'
        limit 1) w
    ), needed as (
      select p.no, count(distinct p.object_id) filter (where p.hard) as objects from place p group by p.no
    ), address as (
      select p.no, p.org_id, p.route_id, p.address, count(*) filter (where p.hard) as hard, count(*) as held
      from place p
      group by 1, 2, 3, 4
    ), task as (
      select a.no, a.route_id, n.objects > 0 as bound,
             array_agg(a.address order by a.address) filter (where a.hard = n.objects) as hard,
             (array_agg(a.address order by a.held desc, random())
                filter (where (a.org_id, a.address) in (select l.org_id, l.address from alive l)))[1] as soft
      from address a
      join needed n on n.no = a.no
      group by a.no, a.route_id, n.objects
    )
    select t.route_id, t.bound, t.addresses, array_agg(t.no) as nos
    from (
      select t.no, t.route_id, t.bound,
             -- If no single address has all objects with hard addresses, the task gets a route that no worker serves,
             -- and `tenuto why` can show the reason.
             case when t.bound then coalesce(t.hard, array['nowhere'])
                  when t.soft is null then '{}'
                  else array[t.soft] end as addresses
      from task t) t
    group by 1, 2, 3
    order by 1, 2, 3
  loop
    select tenuto._intern_route(r.org_id, r.queue, r.type, r.language, r.labels, v_group.addresses, r.blocked_versions,
                                not v_group.bound and v_group.addresses <> '{}')
    into v_id
    from tenuto.routes r
    where r.id = v_group.route_id;
    v_nos := v_nos || v_group.nos;
    v_ids := v_ids || array_fill(v_id, array[cardinality(v_group.nos)]);
  end loop;
  if v_nos = '{}' then
    return p_queued;
  end if;
  return array(
    select (c.id, c.org_id, c.run_id, coalesce(n.route_id, c.route_id), c.group_no, c.priority, c.attempt,
            c.flags)::tenuto.queued_task
    from unnest(p_queued) with ordinality as c(id, org_id, run_id, route_id, group_no, priority, attempt, flags, no)
    left join unnest(v_nos, v_ids) as n(no, route_id) on n.no = c.no
    order by c.no);
end
$$;
