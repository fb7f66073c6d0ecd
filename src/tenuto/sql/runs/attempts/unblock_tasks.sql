-- waiting -> queued, for tasks that wait for other code, if a worker with other code is alive. Checks up to 100 routes
-- per call, of all orgs in turn. Each org gets the same share of p_limit, and each route of an org gets the same part
-- of that share. In this way, an org with many blocked tasks or types does not delay the tasks of another org. With
-- p_keys, processes only these tasks, even if they are parked.
create or replace function tenuto.unblock_tasks(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_bitmapscan = off
  set enable_sort = off
  set jit = off
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('unblock_tasks', p_keys);
  v_routes int[] := array(
    select r.route_id
    from (select b.route_id, row_number() over (partition by b.org_id order by random()) as turn
          from tenuto._blocked_routes() b) r
    order by r.turn, random()
    limit case when p_keys is null then 100 end);
  v_queued tenuto.queued_task[];
begin
  with served as materialized (
    select r.org_id, r.id, s.group_no, count(*) over (partition by r.org_id) as shares
    from tenuto._served_groups(v_routes) s
    join tenuto.routes r on r.id = s.route_id
  ), due as materialized (
    select d.id
    from served r
    cross join (select count(distinct s.org_id) as number from served s) orgs
    cross join lateral (
      select w.id
      from tenuto.waiting_tasks w
      where w.org_id = r.org_id
        and w.route_id = r.id
        and w.waits_for = 'code'
        and w.group_no = coalesce(r.group_no, w.group_no)
        and (p_keys is null or w.id = any (p_keys::uuid[]))
        and w.id <> all (v_parked)
      order by w.seq
      limit case when p_keys is null then greatest(1, p_limit / orgs.number / r.shares) else p_limit end
      for update skip locked) d
  ), gone as (
    delete from tenuto.waiting_tasks w where w.id = any (array(select due.id from due)) returning w.*
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task order by seq)
  into v_queued from gone;
  if v_queued is not null then
    perform tenuto._make_ready(v_queued);
    perform tenuto._wake_queued(v_queued);
  end if;
  return coalesce(cardinality(v_queued), 0);
end
$$;
