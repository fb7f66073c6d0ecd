-- -> waiting for a limit: each queued task joins the line of the limit whose slot it needs next (_next_limits). Neither
-- locks nor creates limits: the transaction that processes the arrivals does that (_follow_arrivals). A task that is
-- queued again for a retry does not change the size of a limit, since the size in its start may be out of date.
create or replace function tenuto._queue_for_limits(p_queued tenuto.queued_task[])
  returns void
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_lines bigint[];
  v_priority int;
  v_seq bigint;
begin
  with lined_up as (
    insert into tenuto.waiting_tasks
      (waiting_at, id, org_id, run_id, route_id, group_no, priority, attempt, limit_id, flags, waits_for)
    select tenuto.now(), (n.queued).id, (n.queued).org_id, (n.queued).run_id, (n.queued).route_id, (n.queued).group_no,
           (n.queued).priority, (n.queued).attempt, n.limit_id, (n.queued).flags, 'limit'
    from tenuto._next_limits(p_queued) n
    order by n.no
    returning limit_id, priority, seq
  )
  select array_agg(distinct limit_id), max(priority), min(seq) into v_lines, v_priority, v_seq from lined_up;

  -- All lines get the same position, which is before each of these tasks: exact positions would cost more than they
  -- save.
  insert into tenuto.arrivals (org_id, limit_id, scope, key, size, seconds, resizes, priority, seq, route_id)
  select n.org_id, n.limit_id, n.scope, n.key, n.size, n.seconds, n.resizes, v_priority, v_seq, n.route_id
  from (
    select distinct on (c.org_id, w.scope, w.key)
           c.org_id, w.scope, w.key, w.size, w.seconds, c.route_id,
           w.limit_id,
           c.attempt = 0 and l.declared is not true
             and (w.size, w.seconds) is distinct from (l.size, l.seconds) as resizes
    from unnest(p_queued) c
    cross join lateral (select t.limits, t.created_at from tenuto.tasks t where t.id = c.id limit 1) t
    cross join lateral (
      select w.*, tenuto._limit_id(c.org_id, w.scope, w.key) as limit_id
      from jsonb_to_recordset(t.limits) as w(scope text, key text, size int, seconds float8)
      offset 0   -- computes each id once
    ) w
    left join lateral (
      select l.size, l.seconds, l.declared from tenuto.limits l where l.id = w.limit_id limit 1
    ) l on true
    order by c.org_id, w.scope, w.key, c.attempt, t.created_at desc, c.id desc
  ) n
  where n.resizes or n.limit_id in (select unnest(v_lines));
end
$$;
