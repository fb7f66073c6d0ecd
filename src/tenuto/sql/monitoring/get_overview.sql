-- Returns the most important numbers of an org, from orchestrator_status. ended: how many attempts of all orgs have
-- ended since statistics began; the difference between two calls gives a rate.
create or replace function tenuto.get_overview(p_org_id uuid)
  returns table (
    ready bigint, delayed bigint, waiting bigint, pending bigint, running bigint, oldest_ready_seconds float8,
    workers jsonb, dispatchers bigint, failed_last_minute bigint, lost_last_minute bigint, outbox_pending bigint,
    outbox_dead bigint, parked bigint, ended bigint, blocked bigint, completed bigint, failed bigint, cancelled bigint,
    skipped bigint, health jsonb, stuck_tasks bigint, rolled_up_until timestamptz,
    oldest_effect_seconds float8)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  select s.ready_tasks, s.delayed_tasks, s.waiting_tasks + s.limited_tasks, s.pending_tasks, s.running_tasks,
         s.oldest_ready_seconds,
         jsonb_strip_nulls(jsonb_build_object(
           'starting', nullif(s.starting_workers, 0), 'active', nullif(s.active_workers, 0),
           'draining', nullif(s.draining_workers, 0), 'error', nullif(s.error_workers, 0))),
         s.dispatchers, s.failed_last_minute, s.lost_last_minute, s.outbox_pending, s.outbox_dead, s.parked_rows,
         (select coalesce(sum(pg_stat_get_tuples_inserted(i.inhrelid)), 0)::bigint
          from pg_inherits i
          where i.inhparent = 'tenuto.task_attempts'::regclass),
         s.blocked_tasks, s.completed_tasks, s.failed_tasks, s.cancelled_tasks, s.skipped_tasks,
         jsonb_strip_nulls(jsonb_build_object(
           'healthy', nullif(s.healthy_workers, 0), 'stuck_task', nullif(s.stuck_workers, 0),
           'stale_heartbeat', nullif(s.stale_workers, 0), 'no_heartbeat', nullif(s.no_heartbeat_workers, 0),
           'dead', nullif(s.dead_workers, 0))),
         s.stuck_tasks, s.rolled_up_until, s.oldest_effect_seconds
  from tenuto.orchestrator_status s
  where s.org_id = p_org_id;
$$;
