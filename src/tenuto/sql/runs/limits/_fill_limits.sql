-- waiting for a limit -> queued: gives the free slots of these limits to the first tasks in line, at most 1000 per
-- limit. The caller has locked the limits. If more tasks of a limit may get slots, inserts an arrival for the limit. A
-- task with several limits moves on to the line of its next limit. If that limit is a rate, or if another transaction
-- has locked it, inserts an arrival for it too, so that the next claim continues with its line. p_freed: how many slots
-- of each limit the caller has just released (see _give_slots). Rates have no slots: admit_rates admits the tasks that
-- wait for them. Returns the routes of the tasks that are ready now.
create or replace function tenuto._fill_limits(p_limit_ids bigint[], p_freed int[] default '{}')
  returns int[]
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_limits bigint[] := p_limit_ids;
  v_freed int[] := p_freed;
  v_starts tenuto.line_start[];
  v_moved uuid[];
  v_next bigint[];
  v_routes int[] := '{}';
  v_admitted tenuto.queued_task[];
  v_done tenuto.queued_task[];
begin
  while cardinality(v_limits) > 0
  loop
    v_admitted := tenuto._give_slots(v_limits, v_freed);
    exit when v_admitted is null;
    if cardinality(v_admitted) >= 1000 then
      insert into tenuto.arrivals (org_id, limit_id)
      select w.org_id, w.limit_id
      from tenuto.waiting_tasks w
      where w.id = any (array(select c.id from unnest(v_admitted) c))
      group by 1, 2
      having count(*) = 1000;
    end if;

    with next as materialized (
      select n.no, n.queued, n.limit_id from tenuto._next_limits(v_admitted) n
    ), done as (
      delete from tenuto.waiting_tasks where id = any (array(select (n.queued).id from next n where n.limit_id is null))
    )
    select array_agg(n.queued order by n.no) filter (where n.limit_id is null),
           array_agg((n.queued).id) filter (where n.limit_id is not null),
           array_agg(n.limit_id) filter (where n.limit_id is not null)
    into v_done, v_moved, v_next
    from next n;
    if v_done is not null then
      perform tenuto._enqueue_ready(v_done);
      v_routes := v_routes || array(select distinct c.route_id from unnest(v_done) c);
    end if;
    exit when v_moved is null;   -- most tasks have one limit

    with moved as (
      update tenuto.waiting_tasks w
      set limit_id = n.limit_id
      from unnest(v_moved, v_next) as n(id, limit_id)
      where w.id = n.id
      returning w.limit_id, w.org_id, w.priority, w.seq
    ), lines as (
      select distinct on (m.limit_id) m.* from moved m order by m.limit_id, -m.priority, m.seq
    )
    select array_agg((l.limit_id, l.org_id, l.priority, l.seq)::tenuto.line_start) into v_starts from lines l;
    v_freed := '{}';
    v_limits := array(
      select id
      from tenuto.limits
      where id = any (array(select s.limit_id from unnest(v_starts) s)) and scope <> 'rate'
      order by scope, id
      for no key update skip locked);
    perform tenuto._lower_limit_floors(v_limits, v_starts);
    insert into tenuto.arrivals (org_id, limit_id, priority, seq)
    select s.org_id, s.limit_id, s.priority, s.seq
    from unnest(v_starts) s
    where s.limit_id not in (select unnest(v_limits));
  end loop;
  return v_routes;
end
$$;
