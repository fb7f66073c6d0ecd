-- Sets the sizes of limits that a worker declares: the latest declaration wins. A session restricted to queues declares
-- only limits that belong to these queues (_owns_limit). Existing limits get their new size at once. They also get an
-- arrival, since they may have free slots now.
create or replace function tenuto._declare_limits(p_session tenuto.sessions, p_types jsonb)
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
as $$
declare
  v_limits bigint[];
begin
  insert into tenuto.declared_limits as o (org_id, scope, key, by_value, size, seconds, queue, declared_by, declared_at)
  select distinct on (2, 3, 4)
         p_session.org_id, l ->> 'scope', l ->> 'key', l ? 'parameter', (l ->> 'size')::int, (l ->> 'seconds')::float8,
         coalesce(d.value -> 'kind' ->> 'queue', 'default'), p_session.worker_id, tenuto.now()
  from jsonb_each(p_types) d
  cross join lateral jsonb_array_elements(nullif(d.value -> 'limits', 'null')) l
  where p_session.queues is null
     or (select coalesce(t.kind ->> 'queue', 'default') = any (p_session.queues)
         from tenuto.task_types t
         where t.org_id = p_session.org_id and t.type = d.key)
        and tenuto._owns_limit(p_session.queues, p_session.org_id, l ->> 'scope', l ->> 'key', l ? 'parameter')
  order by 2, 3, 4, d.key
  on conflict (org_id, scope, key, by_value) do update
    set size = excluded.size, seconds = excluded.seconds, queue = excluded.queue,
        declared_by = excluded.declared_by, declared_at = excluded.declared_at
    where (p_session.queues is null or o.queue = any (p_session.queues))
      and (o.size, o.seconds, o.queue) is distinct from (excluded.size, excluded.seconds, excluded.queue);

  -- Locks limits in the same order as every other function that locks limits. Finds the limits by a range of keys. For
  -- a limit with a parameter, whose key ends with "=", the range from "…=" to before "…>" contains the keys for all
  -- values of the parameter. For a limit without a parameter, the range from the key to before the key followed by \1
  -- contains only the key itself.
  v_limits := array(
    select l.id
    from tenuto.limits l
    cross join lateral tenuto._declared_size(l.org_id, l.scope, l.key) s
    where l.id = any (array(
        select n.id
        from jsonb_each(p_types) d
        cross join lateral jsonb_to_recordset(nullif(d.value -> 'limits', 'null'))
          as w(scope text, key text, parameter text)
        cross join lateral (
          select e.id
          from tenuto.limits e
          where e.org_id = p_session.org_id
            and e.scope = w.scope
            and e.key ~>=~ w.key
            and e.key ~<~ case when w.parameter is null then w.key || chr(1) else left(w.key, -1) || '>' end
          order by e.key using ~<~   -- makes the planner use the index in which the keys are a range
        ) n))
      and (not l.declared or (l.size, l.seconds) is distinct from (s.size, s.seconds))
    order by l.scope, l.id
    for no key update of l);
  update tenuto.limits l
  set size = d.size, seconds = d.seconds, declared = true
  from (
    select n.id, s.size, s.seconds
    from tenuto.limits n
    cross join lateral tenuto._declared_size(n.org_id, n.scope, n.key) s
    where n.id = any (v_limits)
  ) d
  where l.id = d.id;
  insert into tenuto.arrivals (org_id, limit_id) select p_session.org_id, l from unnest(v_limits) l;
end
$$;
