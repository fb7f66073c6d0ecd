-- Lists the orgs with their most important numbers. Ready tasks are counted up to 10,000 per lane; delayed, waiting and
-- pending tasks up to 100,000 each; running tasks exactly. Blocked tasks, the outbox, parked rows and terminated
-- workers are counted up to 10,000. oldest_effect_seconds: the age of the oldest pending effect among those counted.
-- Ended tasks are counted from the first rollup to rolled_up_until.
create or replace view tenuto.orchestrator_status
  with (security_invoker = true)
as
select
  o.id as org_id,
  t.pending as pending_tasks, t.ready + t.delayed - t.retrying + t.limited as queued_tasks, t.running as running_tasks,
  t.retrying as retrying_tasks, t.waiting - t.limited as waiting_tasks,
  e.completed as completed_tasks, e.failed as failed_tasks, e.cancelled as cancelled_tasks, e.skipped as skipped_tasks,
  t.ready as ready_tasks, t.delayed as delayed_tasks, t.limited as limited_tasks, t.blocked as blocked_tasks,
  w.starting as starting_workers, w.active as active_workers, w.draining as draining_workers, w.error as error_workers,
  w.terminated as terminated_workers, w.external as external_workers,
  w.healthy as healthy_workers, w.stale as stale_workers, w.no_heartbeat as no_heartbeat_workers,
  w.stuck as stuck_workers, w.stuck_tasks,
  t.oldest_ready_seconds,
  (select count(*) from tenuto.dispatchers d where tenuto._dispatcher_status(d.heartbeat) = 'active') as dispatchers,
  f.failed as failed_last_minute, f.lost as lost_last_minute,
  x.pending as outbox_pending,
  (select count(*)
   from (select from tenuto.outbox x where x.org_id = o.id and x.status = 'dead' limit 10000) x) as outbox_dead,
  (select count(*) from (select from tenuto.parked_rows r where r.org_id = o.id limit 10000) r) as parked_rows,
  (select p.rolled_up from tenuto.rollup_position p) as rolled_up_until,
  tenuto.now() as snapshot_time, x.oldest_seconds as oldest_effect_seconds, w.dead as dead_workers
from tenuto.orgs o
cross join lateral tenuto._count_open_tasks(o.id) t
cross join lateral tenuto._count_workers(o.id) w
cross join lateral tenuto._count_ended_tasks(o.id) e
cross join lateral tenuto._count_failures_lately(o.id) f
cross join lateral (
  select count(*) as pending, extract(epoch from tenuto.now() - min(p.created_at))::float8 as oldest_seconds
  from (select p.created_at from tenuto.outbox p where p.org_id = o.id and p.status = 'pending' limit 10000) p
) x;
