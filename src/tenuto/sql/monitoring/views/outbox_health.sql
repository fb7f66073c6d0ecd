-- Lists the side effects that are not done, per org and kind: how many there are, how long the oldest pending one has
-- been due, and how many are dead. Counts up to 10,000 effects per org and status.
create or replace view tenuto.outbox_health
  with (security_invoker = true)
as
select o.id as org_id, e.*
from tenuto.orgs o
cross join lateral (
  select x.kind, count(*) filter (where x.status = 'pending') as pending,
         count(*) filter (where x.status = 'processing') as processing,
         count(*) filter (where x.status = 'dead') as dead,
         count(*) filter (where x.status = 'pending' and x.attempts > 0) as retried,
         greatest(extract(epoch from tenuto.now() - min(x.available_at) filter (where x.status = 'pending')), 0)::float8
           as oldest_due_seconds,
         count(*) filter (where x.status = 'processing' and x.locked_until < tenuto.now()) as expired_locks,
         max(x.created_at) filter (where x.status = 'dead') as newest_dead_at,
         (array_agg(left(x.last_error, 1000) order by x.id desc) filter (where x.last_error is not null))[1]
           as last_error
  from (
    (select x.id, x.kind, x.status, x.attempts, x.available_at, x.locked_until, x.created_at, x.last_error
     from tenuto.outbox x
     where x.org_id = o.id and x.status = 'pending'
     limit 10000)
    union all
    (select x.id, x.kind, x.status, x.attempts, x.available_at, x.locked_until, x.created_at, x.last_error
     from tenuto.outbox x
     where x.org_id = o.id and x.status = 'processing'
     limit 10000)
    union all
    (select x.id, x.kind, x.status, x.attempts, x.available_at, x.locked_until, x.created_at, x.last_error
     from tenuto.outbox x
     where x.org_id = o.id and x.status = 'dead'
     limit 10000)
  ) x
  group by 1
) e;
