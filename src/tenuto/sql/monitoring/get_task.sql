-- Returns one task with its live state, output and error: its row of task_status. Reads the hot tables one by one: a
-- task that has not ended is in at most one of them, an ended task in none. The view joins all of them, which takes
-- three times as long. The query plans are fixed, because planning took ten times as long as the query.
create or replace function tenuto.get_task(p_org_id uuid, p_task_id uuid)
  returns tenuto.task_status
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_task tenuto.task_status;
  v_route int;
  v_attempts int;
  v_charged int;
  v_since timestamptz;
begin
  select t.id, t.org_id, t.run_id, t.parent_id, t.place, t.name, t.route_id, t.priority, t.max_attempts, t.max_losses,
         t.run_attempt, t.optional, t.handler, t.input,
         coalesce((select m.metadata from tenuto.task_metadata m where m.task_id = t.id), t.metadata), t.limits,
         t.queue_job_id, t.copy_of, t.created_at, t.available_at, t.group_no, t.timeout_seconds, t.has_slots
  into v_task.id, v_task.org_id, v_task.run_id, v_task.parent_id, v_task.position, v_task.name, v_route,
       v_task.priority, v_task.max_attempts, v_task.max_losses, v_task.run_attempt, v_task.optional, v_task.handler,
       v_task.input, v_task.metadata, v_task.limits, v_task.external_id, v_task.copy_of, v_task.created_at,
       v_task.available_at, v_task.group_no, v_task.timeout_seconds, v_task.has_slots
  from tenuto.tasks t
  where t.id = p_task_id and t.org_id = p_org_id;
  if not found then
    perform tenuto._raise('TN001', format('no task %s', p_task_id), 'list the tasks to see which exist');
  end if;
  select o.queue, o.type, o.language, o.labels, j.*
  into v_task.queue, v_task.type, v_task.language, v_task.labels, v_task.partitions, v_task.input_versions
  from tenuto.routes o, tenuto._job_columns(p_task_id, o.type) j where o.id = v_route;
  select 'queued', r.attempt, r.queued_at
  into v_task.status, v_task.attempt, v_task.queued_at
  from tenuto.ready_tasks r
  where r.id = p_task_id;
  if v_task.attempt = 0 then
    select 0, 0 into v_task.failures, v_task.losses;   -- it has had no attempt
    return v_task;
  end if;
  select count(*), min(a.started_at),
         count(*) filter (where a.outcome = 'retrying' or (a.outcome = 'failed' and not tenuto._was_lost(a))),
         count(*) filter (where a.outcome = 'lost' or (a.outcome = 'failed' and tenuto._was_lost(a))),
         (array_agg(a.progress order by a.end_no = 0 desc, num_nulls(a.progress, a.message) = 2, a.attempt desc))[1],
         (array_agg(a.message order by a.end_no = 0 desc, num_nulls(a.progress, a.message) = 2, a.attempt desc))[1]
  into v_attempts, v_task.started_at, v_task.failures, v_task.losses, v_task.progress, v_task.message
  from tenuto.task_attempts a where a.task_id = p_task_id;
  v_charged := v_task.failures + v_task.losses;
  if v_task.status = 'queued' then
    v_task.attempt := tenuto._attempt_number(v_task.attempt, v_charged, false);
    return v_task;
  end if;
  if v_attempts > 0 then
    select f.outcome, tenuto._attempt_number(f.attempt, v_charged, f.outcome = 'failed'), f.output, f.error,
           f.queued_at, f.ended_at, extract(epoch from f.ended_at - v_task.started_at)
    into v_task.status, v_task.attempt, v_task.output, v_task.error, v_task.queued_at, v_task.completed_at,
         v_task.duration_seconds
    from tenuto.task_attempts f where f.task_id = p_task_id and f.end_no = 0;
    if found then
      return v_task;
    end if;
  end if;
  select case when d.reason = 'retry' then 'retrying' else 'queued' end,
         tenuto._attempt_number(d.attempt, v_charged, d.reason = 'retry'),
         case when d.reason = 'retry' then d.available_at end
  into v_task.status, v_task.attempt, v_task.next_retry_at
  from tenuto.delayed_tasks d where d.id = p_task_id;
  if found then
    return v_task;
  end if;
  select case when w.waits_for = 'limit' then 'queued' else 'waiting' end,
         tenuto._attempt_number(w.attempt, v_charged, false), w.waits_for, w.wake_at
  into v_task.status, v_task.attempt, v_task.waits_for, v_task.wake_at
  from tenuto.waiting_tasks w where w.id = p_task_id;
  if found then
    return v_task;
  end if;
  select 'running', tenuto._attempt_number(u.attempt, v_charged, false), u.queued_at, u.started_at, u.cancel,
         coalesce(u.progress, v_task.progress),
         coalesce(u.message, case when u.progress is null then v_task.message end), u.deadline_at, u.session_id
  into v_task.status, v_task.attempt, v_task.queued_at, v_since, v_task.cancel_requested, v_task.progress,
       v_task.message, v_task.deadline_at, v_task.session_id
  from tenuto.running_tasks u where u.id = p_task_id;
  if found then
    v_task.started_at := coalesce(v_task.started_at, v_since);
    select s.worker_id, s.expires_at, greatest(s.expires_at - make_interval(secs => s.lease_seconds), v_since)
    into v_task.worker_id, v_task.lease_expires_at, v_task.last_heartbeat from tenuto.sessions s
    where s.id = v_task.session_id;
    return v_task;
  end if;
  select tenuto._attempt_number(p.attempt, v_charged, false), p.remaining
  into v_task.attempt, v_task.remaining_dependencies
  from tenuto.pending_tasks p where p.id = p_task_id;
  v_task.status := 'pending';
  return v_task;
end
$$;
