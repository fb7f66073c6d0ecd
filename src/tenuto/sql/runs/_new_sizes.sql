-- The limits that tasks want another size of than they have. The newest task decides, once: a task that comes back
-- after a retry does not return a limit to an older size.
create or replace function tenuto._new_sizes(p_cards tenuto.card[])
  returns table (id bigint, size int, seconds float8)
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_bitmapscan = off
  set jit = off
as $$
begin
  return query
  select n.id, n.size, n.seconds
  from (
    select distinct on (l.id) l.id, w.size, w.seconds, l.size as size_now, l.seconds as seconds_now
    from unnest(p_cards) c
    cross join lateral (select t.id, t.org_id, t.limits, t.created_at from tenuto.tasks t where t.id = c.id limit 1) t
    cross join lateral jsonb_to_recordset(t.limits) as w(scope text, key text, size int, seconds float8)
    cross join lateral (
      select l.* from tenuto.limits l where l.org_id = t.org_id and l.scope = w.scope and l.key = w.key limit 1
    ) l
    where c.attempt = 0
    order by l.id, t.created_at desc, t.id desc
  ) n
  where (n.size, n.seconds) is distinct from (n.size_now, n.seconds_now);
end
$$;
