-- queued -> running, for up to p_limit tasks of the routes: a share for each resource group by weight and within its
-- quota, inside a group by priority, then by age. With more than 64 groups, those after p_after_group come first: the
-- caller passes the last group_no it got, and a p_claim_no one higher with every call.
create or replace function tenuto.claim_tasks(
  p_session_id bigint, p_token uuid, p_claim_no int, p_routes int[], p_limit int, p_after_group int default 0)
  returns setof tenuto.claimed
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_routes int[];
  v_groups int[];
  v_shares int[];
  v_candidates int;
  v_left int := p_limit;
  v_taken int;
begin
  if p_limit < 1 or not tenuto._may_claim(p_session_id, p_token) then
    return;
  end if;
  v_routes := array(select r from unnest(p_routes) r where r <> all (array(select id from tenuto.routes where paused)));
  -- The second round fills the shares that groups with little work left over.
  for v_round in 1..2
  loop
  select s.groups, s.shares, s.candidates into v_groups, v_shares, v_candidates from tenuto._share_out(v_routes, v_left, p_after_group, v_round = 2) s;
  continue when v_groups is null;
  return query
  with due as materialized (
    select y.tid, t.*
    from unnest(v_groups, v_shares) with ordinality as g(group_no, share, turn)
    cross join lateral (
      select x.tid, x.id
      from (
        select l.route_id, l.group_no, l.priority, l.floor
        from tenuto.ready_lanes l
        where l.route_id = any (v_routes) and l.group_no = g.group_no
        order by l.priority desc, l.floor
        offset 0
      ) l
      cross join lateral (
        select q.ctid as tid, q.id
        from tenuto.ready_tasks q
        where q.route_id = l.route_id and q.group_no = l.group_no and q.priority = l.priority and q.seq >= l.floor
        order by q.seq
        limit g.share
        for update skip locked
      ) x
      limit g.share
    ) y
    cross join lateral (
      select t.input, t.has_slots, t.timeout_seconds, t.heartbeat_timeout_seconds, t.metadata from tenuto.tasks t where t.id = y.id limit 1
    ) t
    limit v_left
  ), taken as (
    delete from tenuto.ready_tasks k
    using due d
    where k.ctid = d.tid
    returning k.queued_at, k.id, k.org_id, k.run_id, k.route_id, k.group_no, k.priority, k.attempt, k.traits, d.input, d.has_slots, d.timeout_seconds, d.heartbeat_timeout_seconds, d.metadata
  ), running as (
    insert into tenuto.running_tasks (queued_at, started_at, deadline_at, silent_at, session_id, id, org_id, run_id, claim_no, route_id,
      group_no, priority, attempt, traits)
    select queued_at, tenuto.now(), tenuto.now() + make_interval(secs => timeout_seconds + 5),
           tenuto.now() + make_interval(secs => heartbeat_timeout_seconds), p_session_id, id, org_id, run_id, p_claim_no, route_id,
           group_no, priority, attempt + 1, traits
    from taken
  )
  select id, attempt + 1, run_id, route_id, group_no, input, case when has_slots then tenuto._task_slot_values(id) end,
         timeout_seconds, heartbeat_timeout_seconds, metadata
  from taken;
  get diagnostics v_taken = row_count;
  exit when v_taken = v_left or v_candidates = 1;
  v_left := v_left - v_taken;
  end loop;
end
$$;
