-- Returns how many tasks of an org have not ended, by their state. delayed includes retrying (tasks that wait for their
-- next attempt). waiting includes limited (tasks that wait for a limit) and blocked (tasks that wait for other code).
create or replace function tenuto._count_open_tasks(
  p_org_id uuid,
  out ready bigint, out delayed bigint, out retrying bigint, out waiting bigint, out limited bigint,
  out blocked bigint, out pending bigint, out running bigint, out oldest_ready_seconds float8)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with queue as materialized (
    select coalesce(sum(q.ready), 0)::bigint as ready, coalesce(sum(q.delayed), 0)::bigint as delayed,
           coalesce(sum(q.waiting), 0)::bigint as waiting, coalesce(sum(q.running), 0)::bigint as running,
           max(q.oldest_ready_seconds) as oldest
    from tenuto.list_queues(p_org_id) q
  )
  select q.ready, q.delayed, least(q.delayed, (
           select count(*) filter (where d.reason = 'retry')
           from (select d.reason from tenuto.delayed_tasks d where d.org_id = p_org_id limit 100000) d)),
         q.waiting, least(q.waiting, (
           select count(*) filter (where w.waits_for = 'limit')
           from (select w.waits_for from tenuto.waiting_tasks w where w.org_id = p_org_id limit 100000) w)),
         (select count(*)
          from (select from tenuto.waiting_tasks w where w.org_id = p_org_id and w.waits_for = 'code' limit 10000) w),
         (select count(*) from (select from tenuto.pending_tasks p where p.org_id = p_org_id limit 100000) p),
         q.running, q.oldest
  from queue q;
$$;
