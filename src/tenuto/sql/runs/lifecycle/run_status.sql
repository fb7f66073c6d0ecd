-- Lists every run with its live status and counts. A single-task run takes both from its task. A run becomes running
-- with its first claim. Its type is the type of the task with which it was started; a graph has no type. Its metadata
-- and attempts come from that task too, unless the run has its own.
create or replace view tenuto.run_status
  with (security_invoker = true)
as
select
  r.id, r.org_id, r.name,
  coalesce(
    t.type,
    (select o.type from tenuto.tasks k join tenuto.routes o on o.id = k.route_id where k.id = r.id)) as type,
  r.single_task, g.external_id as resource_group,
  case
    when r.single_task and t.completed_at is null then case when t.attempt > 0 then 'running' else 'pending' end
    when r.single_task then t.status
    when r.status = 'pending'
      and (exists (select from tenuto.running_tasks u where u.run_id = r.id)
           or exists (select from tenuto.run_counts c where c.run_id = r.id and c.started_at is not null))
      then 'running'
    else r.status
  end as status,
  coalesce(t.attempt, m.attempt, r.attempt) as attempt,
  coalesce(t.max_attempts::int, m.max_attempts, r.max_attempts) as max_attempts,
  coalesce(r.total + n.added - (q.copying)::int - n.open::int, 1) as total_tasks,
  coalesce(r.completed, (t.status = 'completed')::int) as completed_tasks,
  coalesce(r.failed, (t.status = 'failed')::int) as failed_tasks,
  coalesce(r.cancelled, (t.status = 'cancelled')::int) as cancelled_tasks,
  coalesce(r.skipped, 0) as skipped_tasks,
  coalesce(r.input, t.input) as input,
  (u.result).output as output,
  (u.result).omitted as output_omitted,
  case when r.single_task
       then t.error
       else (select a.error from tenuto.task_attempts a where a.task_id = r.failed_task_id and a.end_no = 0)
  end as error,
  coalesce(r.failed_task_id, case when t.status = 'failed' then t.id end) as failed_task_id,
  coalesce(r.metadata, tenuto._first_metadata(r.id)) as metadata, r.retry_of, r.retried_by, r.next_retry_at,
  r.cancel_requested_at, r.created_at,
  coalesce(
    r.started_at,
    t.started_at,
    least((select min(u.started_at) from tenuto.running_tasks u where u.run_id = r.id),
          (select min(c.started_at) from tenuto.run_counts c where c.run_id = r.id))) as started_at,
  coalesce(r.completed_at, t.completed_at) as completed_at,
  extract(epoch from coalesce(r.completed_at, t.completed_at) - coalesce(r.started_at, t.started_at))::float8
    as duration_seconds,
  q.progress,
  case when r.single_task and t.status = 'cancelled' then tenuto._reason_of_cancel(t.error)
       when r.cancel_requested_at is not null then tenuto._cancel_reason(r.id)
  end as cancel_reason,
  p.fraction, p.message,
  coalesce(r.open, false)
    and r.cancel_requested_at is null
    and not exists (select from tenuto.close_requests c where c.run_id = r.id) as open,
  (select d.at
   from tenuto.run_deadlines d
   where d.run_id = r.id and d.kind = 'deadline' and coalesce(r.completed_at, t.completed_at) is null) as deadline_at,
  (select d.at
   from tenuto.run_deadlines d
   where d.run_id = r.id and d.kind = 'expires' and coalesce(r.completed_at, t.completed_at) is null) as expires_at,
  coalesce(r.completed_at, t.completed_at, r.cancel_requested_at) is null and tenuto._is_held(r.id) as held
from tenuto.runs r
join tenuto.resource_groups g on g.no = r.group_no
left join tenuto.task_status t on t.id = r.id and r.single_task
left join lateral (   -- offset 0: evaluated only if a query reads its columns
  select k.attempt, k.max_attempts::int from tenuto.task_status k
  where k.id = r.id and not r.single_task and r.max_attempts = 1
  offset 0
) m on true
cross join lateral (   -- while a retry copies the tasks of a run, its total is one too high
  select coalesce(bool_or(o.verb = 'retry' and o.phase <> 'release'), false) as copying,
         (array_agg(
            jsonb_build_object('action', o.verb, 'done_tasks', o.done, 'total_tasks', o.tasks)
            order by o.verb = 'retry' desc))[1] as progress
  from tenuto.run_requests o
  where o.run_id = r.id
) q
cross join lateral (   -- offset 0: tasks that fold_runs has not added yet; the total of an open run is one too high
  select case when r.completed_at is null and not r.single_task
              then coalesce((select sum(c.added) from tenuto.run_counts c where c.run_id = r.id), 0)
              else 0
         end::int as added,
         r.open is not null and exists (select from tenuto.open_runs o where o.run_id = r.id) as open
  offset 0
) n
cross join lateral (   -- offset 0: evaluated only if a query reads its columns
  select s.fraction, s.message
  from (
    select case when t.completed_at is null then coalesce(t.progress, 0) else 1 end::float8 as fraction, t.message
    where r.single_task
    union all
    select f.fraction, f.message
    from tenuto._run_progress(r.id, r.completed + r.failed + r.cancelled + r.skipped, r.total) f
    where not r.single_task
  ) s
  offset 0
) p
cross join lateral (   -- offset 0: evaluated once per run, and only if a query reads one of its columns
  select tenuto.get_run_output(r.id) as result offset 0
) u;
