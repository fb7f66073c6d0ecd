-- queued -> running: of the ready tasks with the highest priority, claims the one that has waited longest. Considers
-- all types that the worker serves, except types of operators. Returns null if there is no such task. Concurrent claims
-- skip each other's tasks. A task that causes an error when it is claimed is postponed, so that it does not stop the
-- tasks behind it. The settings make Postgres read only the first task of each lane, whatever the statistics.
create or replace function tenuto_compat._claim_oldest(
  p_org_id uuid, p_worker_id text, p_session_id bigint, p_token uuid)
  returns uuid
  language plpgsql
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_routes int[];
  v_lane record;
  v_id uuid;
begin
  perform tenuto._wake_routes(tenuto._try_follow_arrivals(100));   -- finds tasks that were started since the last claim
  v_routes := array(
    select r.id
    from tenuto.workers w
    cross join lateral tenuto._served_routes(w, null, null) r
    where w.org_id = p_org_id
      and w.id = p_worker_id
      and not r.paused
      and not starts_with(r.type, 'tenuto.'));

  for v_lane in
    select l.route_id, l.group_no, l.priority, l.floor
    from tenuto.ready_lanes l
    cross join lateral (
      select q.seq
      from tenuto.ready_tasks q
      where q.route_id = l.route_id and q.group_no = l.group_no and q.priority = l.priority and q.seq >= l.floor
      order by q.seq
      limit 1
    ) first
    where l.route_id = any (v_routes)
    order by l.priority desc, first.seq
  loop
    select q.id into v_id
    from tenuto.ready_tasks q
    where q.route_id = v_lane.route_id
      and q.group_no = v_lane.group_no
      and q.priority = v_lane.priority
      and q.seq >= v_lane.floor
    order by q.seq
    limit 1
    for update skip locked;
    continue when not found;
    begin
      if (select c.result from tenuto.claim_task(p_session_id, p_token, 0, v_id) c) = 'claimed' then
        return v_id;   -- otherwise its resource group is at its quota
      end if;
    exception when others then
      if left(sqlstate, 2) in ('40', '53', '55', '57', '58') then   -- not caused by this task
        raise;
      end if;
      perform from tenuto.postpone_unclaimable(p_session_id, p_token, array[v_lane.route_id], 1);
    end;
  end loop;
  return null;
end
$$;
