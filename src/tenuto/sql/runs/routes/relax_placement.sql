-- Allows any worker to claim tasks that have waited two seconds for a worker at an address of their data objects (soft
-- addresses, see place_object). Moves these tasks from the soft route to the route of all workers. Returns how many
-- tasks were moved. Each org gets the same share of p_limit, and each route of an org gets the same part of that share.
-- In this way, an org with many tasks does not delay the tasks of another org. With p_keys, processes only these tasks,
-- even if they are parked.
create or replace function tenuto.relax_placement(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set jit = off
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('relax_placement', p_keys);
  v_queued tenuto.queued_task[];
  v_route tenuto.routes;
  v_id int;
begin
  with soft as materialized (
    select r.id, r.org_id, count(*) over (partition by r.org_id) as shares
    from tenuto.routes r
    where r.soft and exists (select from tenuto.ready_tasks t where t.route_id = r.id)
  ), due as materialized (
    select d.tid
    from soft r
    cross join (select count(distinct s.org_id) as number from soft s) orgs
    cross join lateral (
      select t.ctid as tid
      from tenuto.ready_tasks t
      where t.route_id = r.id
        and t.queued_at <= tenuto.now() - interval '2 seconds'
        and (p_keys is null or t.id = any (p_keys::uuid[]))
        and t.id <> all (v_parked)
      limit case when p_keys is null then greatest(1, p_limit / orgs.number / r.shares) else p_limit end
      for update skip locked) d
  ), gone as (
    delete from tenuto.ready_tasks where ctid = any (array(select tid from due)) returning *
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task order by seq)
  into v_queued from gone;

  for v_route in
    select r.* from tenuto.routes r where r.id in (select c.route_id from unnest(v_queued) c) order by r.queue, r.id
  loop
    v_id := tenuto._intern_route(v_route.org_id, v_route.queue, v_route.type, v_route.language, v_route.labels, '{}',
      v_route.blocked_versions);
    v_queued := array(
      select (c.id, c.org_id, c.run_id, case when c.route_id = v_route.id then v_id else c.route_id end, c.group_no,
              c.priority, c.attempt, c.flags)::tenuto.queued_task
      from unnest(v_queued) c);
  end loop;
  if v_queued is not null then
    perform tenuto._enqueue_ready(v_queued);
    perform tenuto._wake_queued(v_queued);
  end if;
  return coalesce(cardinality(v_queued), 0);
end
$$;
