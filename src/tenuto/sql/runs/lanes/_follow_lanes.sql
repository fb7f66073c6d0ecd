-- Makes tasks that arrived in lanes visible to claims: creates missing lanes, and lowers floors that moved past a task
-- before the transaction that started it had committed. If another transaction has locked a lane, the lane's arrivals
-- stay for the next call. Returns the routes of the lanes whose arrivals were processed.
create or replace function tenuto._follow_lanes(p_arrivals bigint[])
  returns int[]
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_new tenuto.queued_task[];
  v_routes int[];
begin
  select array_agg((null, a.org_id, null, a.route_id, a.group_no, a.priority, 0, 0)::tenuto.queued_task)
  into v_new
  from tenuto.arrivals a
  where a.id = any (p_arrivals)
    and not exists (
      select from tenuto.ready_lanes l
      where l.route_id = a.route_id and l.group_no = a.group_no and l.priority = a.priority);
  if v_new is not null then
    perform tenuto._register_lanes(v_new);
  end if;

  with arrived as materialized (
    select a.route_id, a.group_no, a.priority, min(a.seq) as seq, array_agg(a.id) as ids
    from tenuto.arrivals a
    where a.id = any (p_arrivals)
    group by 1, 2, 3
  ), lane as materialized (
    select l.route_id, l.group_no, l.priority, a.seq, a.ids
    from arrived a
    join tenuto.ready_lanes l on l.route_id = a.route_id and l.group_no = a.group_no and l.priority = a.priority
    order by 1, 2, 3
    for no key update of l skip locked
  ), lowered as (
    update tenuto.ready_lanes l
    set floor = least(l.floor, n.seq), empty_since = null
    from lane n
    where l.route_id = n.route_id and l.group_no = n.group_no and l.priority = n.priority
      and (l.floor > n.seq or l.empty_since is not null)
  ), followed as (
    -- Deletes by id: a join of arrivals and lanes compared every arrival with every lane.
    delete from tenuto.arrivals a where a.id = any (array(select unnest(n.ids) from lane n))
  )
  select array_agg(distinct n.route_id) into v_routes from lane n;
  return coalesce(v_routes, '{}');
end
$$;
