-- The limits that tasks want another size of than they have. The newest task decides, once: a task that comes back
-- after a retry does not return a limit to an older size.
create or replace function tenuto._new_sizes(p_cards tenuto.card[])
  returns table (id bigint, size int, seconds float8)
  language sql
  stable
as $$
  select n.id, n.size, n.seconds
  from (
    select distinct on (l.id) l.id, w.size, w.seconds, l.size as size_now, l.seconds as seconds_now
    from unnest(p_cards) c
    join tenuto.tasks t on t.id = c.id
    cross join lateral jsonb_to_recordset(t.limits) as w(scope text, key text, size int, seconds float8)
    join tenuto.limits l on l.org_id = t.org_id and l.scope = w.scope and l.key = w.key
    where c.attempt = 0
    order by l.id, t.created_at desc, t.id desc
  ) n
  where (n.size, n.seconds) is distinct from (n.size_now, n.seconds_now);
$$;
