-- Ends attempts that neither completed nor failed. They do not count against max_attempts. Records p_outcome in their
-- history, with p_errors by task id. A task with a cancel request is cancelled instead. Returns the tasks that continue
-- (queued), and the tasks that can start because other tasks were cancelled (woken). The caller decides when the tasks
-- in queued can start again. The caller must call _make_ready only once, because that call locks limits.
create or replace function tenuto._return_attempts(
  p_running tenuto.running_tasks[], p_outcome text, p_reported boolean, p_errors jsonb default null,
  out queued tenuto.queued_task[], out woken tenuto.queued_task[])
  language plpgsql
as $$
declare
  v_cancelled tenuto.attempt_end[];
begin
  insert into tenuto.task_attempts (task_id, org_id, queued_at, started_at, ended_at, session_id, end_no, attempt,
    outcome, reported, error, progress, message, route_id)
  select r.id, r.org_id, r.queued_at, r.started_at, tenuto.now(), r.session_id, r.attempt, r.attempt, p_outcome,
         p_reported, p_errors -> r.id::text, r.progress, r.message, r.route_id
  from unnest(p_running) r
  where not r.cancel;

  perform tenuto._emit_ends(array_agg(r.id), array_agg(r.attempt))
  from unnest(p_running) r
  where not r.cancel and tenuto._is_job_task(r.flags)
  having count(*) > 0;

  -- A run is running from its first claim on, even if that attempt did not complete.
  insert into tenuto.run_counts (run_id, org_id, started_at)
  select r.run_id, r.org_id, min(r.started_at)
  from unnest(p_running) r
  where r.attempt = 1 and not tenuto._is_single_task_run(r.flags) and not r.cancel
  group by 1, 2;

  select array_agg((r, null, false, null, null)::tenuto.attempt_end)
  into v_cancelled
  from unnest(p_running) r
  where r.cancel;
  if v_cancelled is not null then
    woken := tenuto._end_failed_attempts(v_cancelled, p_reported);
  end if;
  queued := array(
    select (r.id, r.org_id, r.run_id, r.route_id, r.group_no, r.priority, r.attempt, r.flags)::tenuto.queued_task
    from unnest(p_running) r
    where not r.cancel
    order by r.id);
end
$$;
