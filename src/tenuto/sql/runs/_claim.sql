-- What claim_tasks and complete_and_claim do, for a session that was found fit.
-- Lateral look-ups and a fixed plan: the claim reads the first rows of its lanes, whatever statistics say.
create or replace function tenuto._claim(p_session_id bigint, p_claim_no bigint, p_routes int[], p_limit int, p_group text)
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
  v_tops int[];
  v_candidates int;
  v_many boolean;
  v_last int;
  v_after int := -1;
  v_left int := p_limit;
  v_taken int;
  -- Inputs travel with the answer, which stays below 32 MB: get_inputs delivers those that are larger than their part of it.
  v_room int := 33554432 / greatest(p_limit, 1);
  v_only int := case when p_group is not null then tenuto._session_group(p_session_id, p_group) end;
begin
  v_routes := array(select r from unnest(p_routes) r where r <> all (array(select id from tenuto.routes where paused)));
  -- The second round fills the shares that groups with little work left over. Where there are many lanes, more rounds look
  -- for work that the lanes read so far do not hold.
  for v_round in 1..20
  loop
    select s.groups, s.shares, s.tops, s.candidates, s.many, s.last
    into v_groups, v_shares, v_tops, v_candidates, v_many, v_last
    from tenuto._share_out(v_routes, v_left, v_round, v_only, v_after) s;
    exit when not v_many and v_round > 2 or v_round > 1 and v_last is null and v_after < 0;
    v_after := coalesce(case when v_round > 1 then v_last else v_groups[1] - 1 end, -1);
    continue when v_groups is null;
    return query
    with due as materialized (
      select y.tid
      from unnest(v_groups, v_shares, v_tops) as g(group_no, share, top)
      cross join lateral (
        select x.tid
        from (
          select l.route_id, l.group_no, l.priority, l.floor
          from unnest(v_routes) r(id)
          cross join lateral (
            select a.route_id, a.group_no, a.priority, a.floor
            from tenuto.ready_lanes a
            where a.route_id = r.id and a.group_no = g.group_no and a.priority <= g.top
            order by a.route_id desc, a.group_no desc, a.priority desc
            limit greatest(64, g.share)
          ) l
          order by l.priority desc, l.floor
          offset 0
        ) l
        cross join lateral (
          select q.ctid as tid
          from tenuto.ready_tasks q
          where q.route_id = l.route_id and q.group_no = l.group_no and q.priority = l.priority and q.seq >= l.floor
          order by q.seq
          limit g.share
          for update skip locked
        ) x
        limit g.share
      ) y
      limit v_left
    ), taken as (
      delete from tenuto.ready_tasks where ctid = any (array(select tid from due))
      returning seq, queued_at, id, org_id, run_id, route_id, group_no, priority, attempt, traits
    ), card as materialized (
      select k.*, t.*, tenuto._json_bytes(t.input) + tenuto._json_bytes(t.metadata) as bytes
      from taken k
      cross join lateral (
        select t.input, t.has_slots, t.timeout_seconds, t.heartbeat_timeout_seconds, t.metadata
        from tenuto.tasks t where t.id = k.id limit 1
      ) t
    ), running as (
      insert into tenuto.running_tasks (queued_at, started_at, deadline_at, silent_at, session_id, id, org_id, run_id, claim_no, route_id,
        group_no, priority, attempt, traits, seq)
      select queued_at, tenuto.now(), tenuto.now() + make_interval(secs => timeout_seconds + 5),
             tenuto.now() + make_interval(secs => heartbeat_timeout_seconds), p_session_id, id, org_id, run_id, p_claim_no, route_id,
             group_no, priority, attempt + 1, traits, seq
      from card
    )
    select id, attempt + 1, run_id, route_id, case when bytes <= v_room then input end,
           case when has_slots then tenuto._task_slot_values(id, case when bytes <= v_room then v_room else -1 end)
                when bytes > v_room then '{"$fetch": 0}' end,
           timeout_seconds, case when bytes <= v_room then metadata end
    from card;
    get diagnostics v_taken = row_count;
    exit when v_taken = v_left
      or not v_many and (v_round = 2 or v_candidates = 1)
      or v_only is not null and v_round > 1 and v_taken = 0;
    v_left := v_left - v_taken;
  end loop;
end
$$;
