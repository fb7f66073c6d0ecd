-- Creates the limits of arrivals that have no row yet. A limit's id is a hash of its scope and key, so that a task can
-- be in its line before the row exists. A limit gets the declared size, otherwise the size in the start; its queue is
-- that of the start. Never waits: a limit that another transaction is creating is left to that transaction.
create or replace function tenuto._make_limits(p_arrivals bigint[])
  returns void
  language sql
as $$
  insert into tenuto.limits (id, org_id, scope, key, size, seconds, declared, queue)
  overriding system value
  select n.limit_id, n.org_id, n.scope, n.key, coalesce(d.size, n.size),
         case when d.size is null then n.seconds else d.seconds end, d.size is not null, r.queue
  from (
    select distinct on (a.org_id, a.scope, a.key) a.*
    from tenuto.arrivals a
    where a.id = any (p_arrivals) and a.size is not null
      and not exists (select from tenuto.limits l where l.org_id = a.org_id and l.scope = a.scope and l.key = a.key)
    order by a.org_id, a.scope, a.key, a.id desc
  ) n
  left join tenuto.routes r on r.id = n.route_id
  left join lateral tenuto._declared_size(n.org_id, n.scope, n.key) d on true
  where pg_try_advisory_xact_lock(hashtext('tenuto.limits'), (n.limit_id & 63)::int)
  on conflict do nothing;
$$;
