-- Lists every task with its live status, which is computed from its rows (_live_status). The lease is the lease of the
-- session that holds the task. Failures and losses are counted from the task's history.
create or replace view tenuto.task_status
  with (security_invoker = true)
as
select
  t.id, t.org_id, t.run_id, t.parent_id, t.place as position, t.name, o.queue, o.type, o.language, o.labels,
  t.priority,
  tenuto._live_status(f.outcome, u.id is not null, r.id is not null, d.reason, w.waits_for) as status,
  tenuto._attempt_number(
    coalesce(f.attempt, u.attempt, r.attempt, d.attempt, w.attempt, p.attempt), c.failures + c.losses,
    f.outcome = 'failed' or d.reason = 'retry') as attempt,
  c.failures, c.losses,
  t.max_attempts, t.max_losses, t.run_attempt, t.optional, t.handler, t.input, f.output, f.error,
  coalesce((select m.metadata from tenuto.task_metadata m where m.task_id = t.id), t.metadata) as metadata, t.limits,
  t.queue_job_id as external_id, t.copy_of, t.created_at, t.available_at,
  coalesce(f.queued_at, u.queued_at, r.queued_at) as queued_at,
  case when d.reason = 'retry' then d.available_at end as next_retry_at,
  coalesce((select min(a.started_at) from tenuto.task_attempts a where a.task_id = t.id), u.started_at) as started_at,
  f.ended_at as completed_at,
  extract(epoch from f.ended_at - (select min(a.started_at) from tenuto.task_attempts a where a.task_id = t.id))::float8
    as duration_seconds,
  w.waits_for, w.wake_at, p.remaining as remaining_dependencies, u.cancel as cancel_requested,
  coalesce(u.progress, f.progress, l.progress) as progress,
  case when u.progress is null then coalesce(u.message, f.message, l.message) else u.message end as message,
  u.deadline_at,
  u.session_id, s.worker_id, s.expires_at as lease_expires_at, t.group_no, t.timeout_seconds,
  t.has_slots,
  -- A claim proves that the worker is alive, even if its last heartbeat was earlier.
  case when s.id is not null then greatest(s.expires_at - make_interval(secs => s.lease_seconds), u.started_at) end
    as last_heartbeat,
  case when starts_with(o.type, 'tenuto.')
       then (select array_remove(array[j.partition_key], '') from tenuto.job_tasks j where j.task_id = t.id)
  end as partitions,
  case when starts_with(o.type, 'tenuto.')
       then (select j.input_versions from tenuto.job_tasks j where j.task_id = t.id) end as input_versions
from tenuto.tasks t
join tenuto.routes o on o.id = t.route_id
left join tenuto.task_attempts f on f.task_id = t.id and f.end_no = 0
left join tenuto.running_tasks u on u.id = t.id
left join tenuto.ready_tasks r on r.id = t.id
left join tenuto.delayed_tasks d on d.id = t.id
left join tenuto.waiting_tasks w on w.id = t.id
left join tenuto.pending_tasks p on p.id = t.id
left join tenuto.sessions s on s.id = u.session_id
cross join lateral tenuto._count_failures(t.id) c
left join lateral tenuto._last_progress(t.id) l on f.task_id is null;
