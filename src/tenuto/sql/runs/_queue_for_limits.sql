-- -> waiting for a limit: each card stands in line for the first of its limits. Limits that are there are not locked
-- yet: _make_ready locks all that it needs at once, in one order. Answers the limits to fill.
create or replace function tenuto._queue_for_limits(p_cards tenuto.card[])
  returns bigint[]
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_limits bigint[];
begin
  insert into tenuto.limits (org_id, scope, key, size, seconds)
  select distinct on (c.org_id, n.scope, n.key) c.org_id, n.scope, n.key, n.size, n.seconds
  from unnest(p_cards) c
  cross join lateral (select t.limits, t.created_at from tenuto.tasks t where t.id = c.id limit 1) t
  cross join lateral jsonb_to_recordset(t.limits) as n(scope text, key text, size int, seconds float8)
  left join lateral (select l.id from tenuto.limits l where l.org_id = c.org_id and l.scope = n.scope and l.key = n.key limit 1) l on true
  where l.id is null
  order by c.org_id, n.scope, n.key, t.created_at desc
  on conflict on constraint limit_exists_once do nothing;

  with lined_up as (
    insert into tenuto.waiting_tasks
      (waiting_at, id, org_id, run_id, route_id, group_no, priority, attempt, limit_id, traits, waits_for)
    select tenuto.now(), (n.card).id, (n.card).org_id, (n.card).run_id, (n.card).route_id, (n.card).group_no, (n.card).priority,
           (n.card).attempt, n.limit_id, (n.card).traits, 'limit'
    from tenuto._next_limits(p_cards) n
    order by n.no
    returning limit_id
  )
  select array_agg(distinct limit_id) into v_limits from lined_up;
  return v_limits || array(select id from tenuto._new_sizes(p_cards));
end
$$;
