-- Creates the limits of these arrivals that have no row yet, and returns their ids. A limit gets the declared size, or
-- the size in the newest start if none is declared; the size of a task that is queued again may be out of date. Its
-- queue is the queue of the start. Never waits: if another transaction may be creating a limit, this call skips it.
create or replace function tenuto._make_limits(p_arrivals bigint[])
  returns setof bigint
  language sql
as $$
  insert into tenuto.limits (id, org_id, scope, key, size, seconds, declared, queue)
  select n.limit_id, n.org_id, n.scope, n.key, coalesce(d.size, n.size),
         case when d.size is null then n.seconds else d.seconds end, d.size is not null, r.queue
  from (
    select distinct on (a.limit_id) a.*
    from tenuto.arrivals a
    where a.id = any (p_arrivals) and a.size is not null
      and not exists (select from tenuto.limits l where l.id = a.limit_id)
    order by a.limit_id, a.resizes desc, a.id desc
  ) n
  left join tenuto.routes r on r.id = n.route_id
  left join lateral tenuto._declared_size(n.org_id, n.scope, n.key) d on true
  where pg_try_advisory_xact_lock(hashtext('tenuto.limits'), (n.limit_id & 63)::int)
  on conflict do nothing
  returning id;
$$;
