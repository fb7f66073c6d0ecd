-- queued -> waiting, for ready tasks that only other code can continue (block_tasks), if no worker with such code is
-- alive any more. This frees the limit slots that the ready tasks hold. With p_keys, processes only these tasks, even
-- if they are parked.
create or replace function tenuto.set_aside_tasks(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set jit = off
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('set_aside_tasks', p_keys);
  v_routes int[] := array(
    select r.id
    from tenuto.routes r
    where r.blocked_versions <> '{}'
      and not r.soft
      and exists (select from tenuto.ready_tasks t where t.route_id = r.id));
  v_gone tenuto.ready_tasks[];
begin
  v_routes := array(
    select r from unnest(v_routes) r
    except
    select s.route_id from tenuto._served_groups(v_routes) s where s.group_no is null);
  with served as materialized (
    select * from tenuto._served_groups(v_routes)
  ), due as materialized (
    select t.id
    from tenuto.ready_tasks t
    where t.route_id = any (v_routes)
      and not exists (select from served s where s.route_id = t.route_id and s.group_no = t.group_no)
      and (p_keys is null or t.id = any (p_keys::uuid[]))
      and t.id <> all (v_parked)
    order by t.route_id, t.group_no, t.priority, t.seq
    limit p_limit
    for update skip locked
  ), gone as (
    delete from tenuto.ready_tasks t using due where t.id = due.id returning t
  )
  select array_agg(g.t) into v_gone from gone g;

  insert into tenuto.waiting_tasks
    (waiting_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags, waits_for)
  select tenuto.now(), t.id, t.org_id, t.run_id, t.route_id, t.group_no, t.priority, t.attempt, t.flags, 'code'
  from unnest(v_gone) t;
  perform tenuto._make_ready(null, array(select t.id from unnest(v_gone) t where tenuto._has_limits(t.flags)));
  return coalesce(cardinality(v_gone), 0);
end
$$;
