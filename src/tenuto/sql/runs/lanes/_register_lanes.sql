-- Makes the lanes of the queued tasks visible to claims. Returns how many were created. Skips lanes whose lock another
-- transaction holds, and lanes of a queue that another transaction pauses or resumes; the next call creates them. Also
-- sets whether the routes are paused: a route that was created in a client's transaction may have missed that its queue
-- was paused or resumed meanwhile.
create or replace function tenuto._register_lanes(p_queued tenuto.queued_task[])
  returns bigint
  language plpgsql
  set jit = off
as $$
declare
  v_routes int[] := array(select distinct c.route_id from unnest(p_queued) c);
  v_locks int[] := array(
    select n.no
    from (select distinct tenuto._lane_lock(c.route_id, c.group_no, c.priority) as no from unnest(p_queued) c) n
    where pg_try_advisory_xact_lock(hashtext('tenuto.ready_lanes'), n.no));
  v_count bigint;
begin
  insert into tenuto.queues (org_id, name)
  select distinct r.org_id, r.queue
  from tenuto.routes r
  where r.id = any (v_routes)
    and not exists (select from tenuto.queues q where q.org_id = r.org_id and q.name = r.queue)
  on conflict do nothing;
  v_routes := array(
    select r.id
    from tenuto.queues q
    join tenuto.routes r on r.org_id = q.org_id and r.queue = q.name
    where r.id = any (v_routes)
    order by q.org_id, q.name
    for share of q skip locked);
  update tenuto.routes r
  set paused = q.paused_at is not null
  from tenuto.queues q
  where r.id = any (v_routes) and q.org_id = r.org_id and q.name = r.queue and r.paused <> (q.paused_at is not null);

  -- A second statement, so that it sees the lanes that were created before this transaction got the locks.
  insert into tenuto.ready_lanes (route_id, group_no, priority, org_id)
  select distinct c.route_id, c.group_no, c.priority, c.org_id
  from unnest(p_queued) c
  where c.route_id = any (v_routes) and tenuto._lane_lock(c.route_id, c.group_no, c.priority) = any (v_locks)
  on conflict do nothing;
  get diagnostics v_count = row_count;
  return v_count;
end
$$;
