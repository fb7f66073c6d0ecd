-- Returns those of the pending tasks for which nothing is left to wait: all tasks that they depend on have ended, their
-- run is not held, and no request will copy, release or cancel them. Handlers of a run are left out, because
-- settle_runs starts them. The transaction in which the last dependency ended should have moved such a task. Reads one
-- task after the other by index.
create or replace function tenuto._stranded_pending(p_ids uuid[])
  returns setof tenuto.pending_tasks
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set jit = off
as $$
  select p.*
  from unnest(p_ids) i(id)
  cross join lateral (select p.* from tenuto.pending_tasks p where p.id = i.id limit 1) p
  left join lateral (
    select true as waits
    from tenuto.task_dependencies d
    left join lateral (
      select a.end_no from tenuto.task_attempts a where a.task_id = d.parent_id and a.end_no = 0 limit 1) a on true
    where d.child_id = p.id and a.end_no is null
    limit 1) d on true
  left join lateral (select true as waits from tenuto.held_runs h where h.run_id = p.run_id limit 1) h on p.held
  left join lateral (select true as waits from tenuto.run_requests q where q.run_id = p.run_id limit 1) q on true
  left join lateral (
    select true as waits from tenuto.cancel_requests c where c.id = p.run_id and c.scope = 'run' limit 1) c on true
  where p.handler is null and coalesce(d.waits, h.waits, q.waits, c.waits) is null;
$$;
