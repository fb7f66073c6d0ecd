-- -> waiting for a limit: each card stands in line for the first of its limits. Limits that are there are not locked
-- yet: _make_ready locks all that it needs at once, in one order. Answers the limits to fill.
create or replace function tenuto._queue_for_limits(p_cards tenuto.card[])
  returns bigint[]
  language plpgsql
as $$
declare
  v_limits bigint[];
begin
  insert into tenuto.limits (org_id, scope, key, size, seconds)
  select distinct on (c.org_id, n.scope, n.key) c.org_id, n.scope, n.key, n.size, n.seconds
  from unnest(p_cards) c
  join tenuto.tasks t on t.id = c.id
  cross join lateral jsonb_to_recordset(t.limits) as n(scope text, key text, size int, seconds float8)
  where not exists (select from tenuto.limits l where l.org_id = c.org_id and l.scope = n.scope and l.key = n.key)
  order by c.org_id, n.scope, n.key, t.created_at desc
  on conflict on constraint limit_exists_once do nothing;

  with lined_up as (
    insert into tenuto.waiting_tasks
      (waiting_at, id, org_id, run_id, route_id, group_no, priority, attempt, limit_id,
       traits, waits_for)
    select tenuto.now(), c.id, c.org_id, c.run_id, c.route_id, c.group_no, c.priority, c.attempt, l.id,
           c.traits, 'limit'
    from unnest(p_cards) with ordinality as c(id, org_id, run_id, route_id, group_no, priority, attempt, traits, no)
    cross join lateral (select tenuto._next_limit(c.id) as id) l
    order by c.no
    returning limit_id
  )
  select array_agg(distinct limit_id) into v_limits from lined_up;
  return v_limits || array(select id from tenuto._new_sizes(p_cards));
end
$$;
