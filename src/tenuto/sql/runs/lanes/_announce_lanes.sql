-- Inserts an arrival for each lane of these tasks that claims may not see when this transaction commits, or whose floor
-- may then be above p_seq, the lowest number (seq) of the tasks. These are lanes that do not exist or may be removed
-- meanwhile, and all lanes if the call is inside a client's transaction. With p_late, all lanes get an arrival. Starts
-- of 1,000 tasks or more set p_late, because they may take seconds. _release_attempts sets it, because its tasks get
-- old positions. Does not create lanes itself, because other transactions would wait for the new row. A transaction
-- that starts many tasks in one lane inserts one arrival for all of them. For this, the setting tenuto.announced stores
-- the lane and the p_seq of its last arrival, as in "7/1/0 4194304". The setting ends with the transaction and is
-- rolled back with its savepoints.
create or replace function tenuto._announce_lanes(
  p_queued tenuto.queued_task[], p_seq bigint, p_late boolean default false)
  returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_bitmapscan = off
as $$
declare
  v_open boolean;
  v_task tenuto.queued_task;
  v_lane text;
  v_last text[];
  v_unseen tenuto.queued_task[];
begin
  if cardinality(p_queued) = 1 then
    v_task := p_queued[1];
    v_lane := concat_ws('/', v_task.route_id, v_task.group_no, v_task.priority);
    v_last := string_to_array(current_setting('tenuto.announced', true), ' ');
    if v_last[1] = v_lane and v_last[2]::bigint <= p_seq then
      return;
    end if;
  end if;
  v_open := tenuto._in_transaction();
  if v_open and cardinality(p_queued) = 1 then
    perform set_config('tenuto.announced', v_lane || ' ' || p_seq, true);
    insert into tenuto.arrivals (org_id, seq, route_id, group_no, priority)
    values (v_task.org_id, p_seq, v_task.route_id, v_task.group_no, v_task.priority);
    return;
  end if;

  -- Searches before the insert: nearly always no lane needs an arrival, and preparing an insert costs as much as the
  -- query.
  v_unseen := array(
    select (null, n.org_id, null, n.route_id, n.group_no, n.priority, 0, 0)::tenuto.queued_task
    from (select distinct c.org_id, c.route_id, c.group_no, c.priority from unnest(p_queued) c) n
    left join lateral (
      select true as seen from tenuto.ready_lanes l
      where l.route_id = n.route_id and l.group_no = n.group_no and l.priority = n.priority
        and (l.empty_since is null or l.empty_since > tenuto.now() - interval '30 seconds')
      limit 1
    ) l on true
    where p_late or v_open or l.seen is null);
  if v_unseen <> '{}' then
    insert into tenuto.arrivals (org_id, seq, route_id, group_no, priority)
    select u.org_id, p_seq, u.route_id, u.group_no, u.priority from unnest(v_unseen) u;
  end if;
end
$$;
