-- Returns the numbers of an org at a glance, each bounded: tasks are counted up to 100,000, the outbox up to 10,000.
-- ended is how many attempts have ended since statistics began, in all orgs: two calls give a rate.
create or replace function tenuto.get_overview(p_org_id uuid)
  returns table (
    ready bigint, delayed bigint, waiting bigint, pending bigint, running bigint, oldest_ready_seconds float8,
    workers jsonb, dispatchers bigint, failed_last_minute bigint, lost_last_minute bigint, outbox_pending bigint,
    outbox_dead bigint, parked bigint, ended bigint)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with queue as materialized (
    select sum(q.ready)::bigint as ready, sum(q.delayed)::bigint as delayed, sum(q.waiting)::bigint as waiting,
           sum(q.running)::bigint as running, max(q.oldest_ready_seconds) as oldest
    from tenuto.list_queues(p_org_id) q
  ), trouble as materialized (
    select count(*) filter (where a.outcome <> 'lost') as failed, count(*) filter (where a.outcome = 'lost') as lost
    from (select a.outcome from tenuto.task_attempts a
          where a.org_id = p_org_id
            and a.ended_at > tenuto.now() - interval '1 minute'
            and a.outcome in ('failed', 'retrying', 'lost')
          limit 100000) a
  )
  select coalesce(q.ready, 0), coalesce(q.delayed, 0), coalesce(q.waiting, 0),
         (select count(*) from (select from tenuto.pending_tasks p where p.org_id = p_org_id limit 100000) p),
         coalesce(q.running, 0), q.oldest,
         (select coalesce(jsonb_object_agg(w.status, w.n), '{}')
          from (
            select w.status, count(*) as n
            from tenuto.workers w
            where w.org_id = p_org_id and w.status <> 'terminated'
            group by 1) w),
         (select count(*) from tenuto.dispatchers d where d.heartbeat > tenuto.now() - interval '1 minute'),
         t.failed, t.lost,
         (select count(*)
          from (select from tenuto.outbox o where o.org_id = p_org_id and o.status = 'pending' limit 10000) o),
         (select count(*)
          from (select from tenuto.outbox o where o.org_id = p_org_id and o.status = 'dead' limit 10000) o),
         (select count(*) from (select from tenuto.parked_rows r where r.org_id = p_org_id limit 10000) r),
         (select coalesce(sum(pg_stat_get_tuples_inserted(i.inhrelid)), 0)::bigint
          from pg_inherits i
          where i.inhparent = 'tenuto.task_attempts'::regclass)
  from queue q, trouble t;
$$;
