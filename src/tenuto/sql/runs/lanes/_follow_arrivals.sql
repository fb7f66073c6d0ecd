-- Processes the arrivals of committed starts: creates their lanes, lowers floors to their tasks, creates their limits
-- and admits tasks to free slots. Never waits: if another transaction has locked a row, the arrival stays for the next
-- call. Every claim begins with this function if there are arrivals, and dispatchers call it too. Returns the routes
-- that now have tasks which claims did not see before. p_first: reads arrivals from this id on; null: from the floor of
-- arrivals on. With p_keys, processes only these arrivals, even if they are parked.
create or replace function tenuto._follow_arrivals(
  p_limit int default 1000, p_first bigint default null, p_keys text[] default null)
  returns int[]
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_parked boolean := false;
  v_lanes bigint[];
  v_lines bigint[];
  v_routes int[] := '{}';
begin
  perform tenuto._require_read_committed();
  if p_keys is null then
    select array_agg(a.id) filter (where a.limit_id is null),
           array_agg(a.id order by a.id) filter (where a.limit_id is not null)
    into v_lanes, v_lines
    from (
      select a.id, a.limit_id
      from tenuto.arrivals a
      where a.id >= coalesce(p_first, (select f.floor from tenuto.arrival_floor f), 0)
      order by a.id
      limit p_limit
      for update skip locked
    ) a;
  end if;
  -- Checked only if there are arrivals: every claim runs this code, and nearly always no arrival is parked.
  if v_lanes is not null or v_lines is not null then
    v_parked := exists (select from tenuto.parked_rows p where p.loop = 'follow_arrivals');
  end if;
  if p_keys is not null or v_parked then
    select array_agg(a.id) filter (where a.limit_id is null),
           array_agg(a.id order by a.id) filter (where a.limit_id is not null)
    into v_lanes, v_lines
    from (
      select a.id, a.limit_id
      from tenuto.arrivals a
      where case when p_keys is not null then a.id = any (p_keys::bigint[])
                 else a.id >= coalesce(p_first, 0) and not exists (
                   select from tenuto.parked_rows p where p.loop = 'follow_arrivals' and p.key = a.id::text) end
      order by a.id
      limit p_limit
      for update of a skip locked
    ) a;
  end if;
  if v_lines is not null then
    v_routes := tenuto._follow_lines(v_lines);
    -- The admitted tasks may be in a lane that does not exist yet.
    v_lanes := v_lanes || array(
      select a.id
      from tenuto.arrivals a
      where a.id > v_lines[cardinality(v_lines)] and a.limit_id is null and p_keys is null
        and not exists (select from tenuto.parked_rows p where p.loop = 'follow_arrivals' and p.key = a.id::text)
      order by a.id
      limit p_limit
      for update skip locked);
  end if;
  if cardinality(v_lanes) > 0 then
    v_routes := v_routes || tenuto._follow_lanes(v_lanes);
  end if;
  return v_routes;
end
$$;
