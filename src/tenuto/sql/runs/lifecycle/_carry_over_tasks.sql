-- Copies ended tasks into another run, with their links and final attempts, so that the new run does not depend on the
-- old run. A failed task among them does not fail the new run, because its parent handled the failure.
create or replace function tenuto._carry_over_tasks(p_run_id uuid, p_base uuid, p_old uuid[])
  returns void
  language sql
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set jit = off
as $$
  insert into tenuto.tasks (id, org_id, run_id, parent_id, created_at, route_id, group_no, priority, place,
    backoff_seconds, timeout_seconds, heartbeat_timeout_seconds, max_attempts, max_losses, run_attempt, optional,
    has_slots, handler, name, input, limits, metadata, copy_of, root_id)
  select tenuto._copy_id(p_base, t.id), t.org_id, p_run_id, tenuto._copy_id(p_base, t.parent_id), tenuto.now(),
         t.route_id, t.group_no, t.priority, t.place, t.backoff_seconds, t.timeout_seconds, t.heartbeat_timeout_seconds,
         t.max_attempts, t.max_losses, 1, t.optional, t.has_slots, t.handler, t.name, t.input, t.limits,
         coalesce(m.metadata, t.metadata), t.id, coalesce(t.root_id, t.id)
  from unnest(p_old) o(id)
  cross join lateral (select t.* from tenuto.tasks t where t.id = o.id limit 1) t
  left join tenuto.task_metadata m on m.task_id = o.id;

  select tenuto._copy_links(p_run_id, p_base, p_old);

  insert into tenuto.task_attempts (task_id, org_id, queued_at, started_at, ended_at, end_no, attempt, outcome,
    reported, output, error)
  select tenuto._copy_id(p_base, o.id), a.org_id, a.queued_at, a.started_at, a.ended_at, 0, 0, a.outcome, false,
         a.output, a.error
  from unnest(p_old) o(id)
  cross join lateral (select a.* from tenuto.task_attempts a where a.task_id = o.id and a.end_no = 0 limit 1) a;

  insert into tenuto.run_counts (run_id, org_id, added, completed, failed, skipped)
  select p_run_id, a.org_id, count(*), count(*) filter (where a.outcome = 'completed'),
         count(*) filter (where a.outcome = 'failed'),
         count(*) filter (where a.outcome = 'skipped')
  from unnest(p_old) o(id)
  cross join lateral (
    select a.* from tenuto.task_attempts a where a.task_id = tenuto._copy_id(p_base, o.id) and a.end_no = 0 limit 1
  ) a
  group by a.org_id;
$$;
