-- Sets the sizes of limits to what a worker declares: the latest declaration wins. A session restricted to queues
-- declares limits of these queues only, and changes none that a type of another queue declared. Existing limits get
-- their new size at once, and an arrival, since there may be free slots now.
create or replace function tenuto._declare_limits(p_session tenuto.sessions, p_types jsonb)
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
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
     or (coalesce(d.value -> 'kind' ->> 'queue', 'default') = any (p_session.queues)
         and (l ->> 'scope' <> 'queue' or l ->> 'key' = any (p_session.queues)))
  order by 2, 3, 4, d.key
  on conflict (org_id, scope, key, by_value) do update
    set size = excluded.size, seconds = excluded.seconds, queue = excluded.queue,
        declared_by = excluded.declared_by, declared_at = excluded.declared_at
    where (p_session.queues is null or o.queue = any (p_session.queues))
      and (o.size, o.seconds, o.queue) is distinct from (excluded.size, excluded.seconds, excluded.queue);

  -- Locked in the same order as in every function that locks limits.
  v_limits := array(
    select l.id
    from tenuto.limits l
    where l.org_id = p_session.org_id
      and exists (
        select from tenuto.declared_limits d
        where d.org_id = l.org_id and d.scope = l.scope
          and case when d.by_value then starts_with(l.key, d.key) else l.key = d.key end
          and (not l.declared or (l.size, l.seconds) is distinct from (d.size, d.seconds)))
    order by l.scope, l.id
    for no key update);
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
