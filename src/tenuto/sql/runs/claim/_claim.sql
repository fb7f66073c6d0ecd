-- queued -> running, for claim_tasks and complete_and_claim, which have checked the session. Processes arrivals, claims
-- tasks, and wakes other workers for tasks that became claimable and were not taken. With lateral lookups and a fixed
-- query plan, the claim reads only the first rows of its lanes, regardless of the statistics.
create or replace function tenuto._claim(
  p_session_id bigint, p_claim_no bigint, p_routes int[], p_limit int, p_group text)
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
  v_routes int[] := p_routes;
  v_arrived int[] := '{}';
  v_share record;
  v_named int[];
  v_after int := -1;
  v_left int := p_limit;
  v_found record;
  v_taken int;
  -- Inputs are part of the result, which stays below 32 MB. If the inputs of a task are larger than its share of the 32
  -- MB, they are left out, and the worker gets them with get_inputs.
  v_room int := 33554432 / greatest(p_limit, 1);
  v_only int := case when p_group is not null then tenuto._session_group(p_session_id, p_group) end;
begin
  if exists (select from tenuto.arrivals a where a.id >= coalesce((select f.floor from tenuto.arrival_floor f), 0)) then
    -- A new lane costs 50 µs. After a start with 20,000 new lanes, a claim of one task creates 100 of them, and
    -- dispatchers create the rest.
    v_arrived := tenuto._try_follow_arrivals(greatest(100, p_limit));
  end if;
  if exists (select from tenuto.routes where paused) then
    v_routes := array(
      select r from unnest(p_routes) r where r <> all (array(select id from tenuto.routes where paused)));
  end if;
  -- The second round distributes the shares that groups with few tasks did not use. With many lanes, more rounds search
  -- for tasks beyond the lanes read so far.
  for v_round in 1..20
  loop
    v_share := tenuto._allocate_shares(v_routes, v_left, v_round, v_only, v_after);
    exit when not v_share.many and v_round > 2 or v_round > 1 and v_share.last is null and v_after < 0;
    v_after := coalesce(case when v_round > 1 then v_share.last else v_share.groups[1] - 1 end, -1);
    continue when v_share.groups is null;
    v_found := tenuto._find_ready(v_routes, v_share.groups, v_share.shares, v_share.tops, v_share.many, v_left);
    v_named := v_share.named;
    v_taken := coalesce(cardinality(v_found.due), 0);
    if v_taken = 1 then
      return next tenuto._take_one(
        p_session_id, p_claim_no, v_found.due[1], v_found.id, v_found.group_no = any (v_named), v_room);
    elsif v_taken > 1 then
      -- Deletes by ctid: these rows are locked, and ready rows are never updated.
      return query
      with taken as (
        delete from tenuto.ready_tasks where ctid = any (v_found.due)
        returning seq, queued_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags
      ), queued as materialized (
        select k.*, t.*, tenuto._json_bytes(t.input) + tenuto._json_bytes(t.metadata) as bytes
        from (   -- sorted, since a delete by ctid returns rows in the order of ctid; later, it would take 0.4 µs more
          select * from taken order by array_position(v_share.groups, group_no), priority desc, seq
        ) k
        cross join lateral (
          select t.input, t.has_slots, t.timeout_seconds, t.heartbeat_timeout_seconds, t.metadata, t.root_id
          from tenuto.tasks t where t.id = k.id limit 1
        ) t
      ), running as (
        insert into tenuto.running_tasks (queued_at, started_at, deadline_at, silent_at, session_id, id, org_id, run_id,
          claim_no, route_id, group_no, priority, attempt, flags, seq)
        select queued_at, tenuto.now(), tenuto.now() + make_interval(secs => timeout_seconds + 5),
               tenuto.now() + make_interval(secs => heartbeat_timeout_seconds), p_session_id, id, org_id, run_id,
               p_claim_no, route_id, group_no, priority, attempt + 1,
               case when group_no = any (v_named) then flags | 16 else flags end, seq  -- 16: _grouped
        from queued
      ), slots as materialized (
        select tenuto._small_slot_values(array_agg(q.id)) as by_task
        from queued q
        where q.has_slots and q.bytes <= v_room and v_room > 500
      )
      select id, attempt + 1, run_id, route_id, case when bytes <= v_room then input end,
             case when has_slots
                  then coalesce((select s.by_task from slots s) -> id::text,
                         tenuto._task_slot_values(id, case when bytes <= v_room then v_room else -1 end))
                  when bytes > v_room then '{"$fetch": 0}' end,
             timeout_seconds, case when bytes <= v_room then metadata end, root_id
      from queued;
    end if;
    v_left := v_left - v_taken;
    exit when v_left = 0
      or not v_share.many and (v_round = 2 or v_share.candidates = 1)
      or v_only is not null and v_round > 1 and v_taken = 0;
  end loop;
  if v_arrived <> '{}' then
    perform tenuto._wake_others(v_arrived, p_routes, v_left > 0);
  end if;
end
$$;
