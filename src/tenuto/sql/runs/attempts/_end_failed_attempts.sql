-- running -> retrying | failed | cancelled, for attempts that did not complete; their running rows are already deleted.
-- A task with a cancel request is cancelled. A task without attempts left, or one that must not be retried, has failed.
-- Any other task is retried after its backoff, or after the number of seconds that its report requested. If a task was
-- lost and has no earlier failure or loss, it is retried without a pause: when a worker dies, its tasks are rarely the
-- cause. Returns the tasks that can start because these tasks have ended (_propagate_end). The caller makes the
-- returned tasks ready.
create or replace function tenuto._end_failed_attempts(p_ends tenuto.attempt_end[], p_reported boolean)
  returns tenuto.queued_task[]
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_outcomes text[];
  v_queued tenuto.queued_task[];
  v_jobs uuid[];
  v_end_nos int[];
begin
  with ends as materialized (
    select e.no, (e.running).*, e.charge, e.after, t.backoff_seconds, t.optional,
           case when (e.running).cancel
                then tenuto._add_cancel_reason(e.error, t.id, t.run_id)
                else e.error end as error,
           h.failures + h.losses + (e.charge is not null)::int as charged,
           case
             when (e.running).cancel then 'cancelled'
             when e.final
               or tenuto._attempts_exhausted(
                 h.failures + (e.charge = 'failure')::int,
                 h.losses + (e.charge = 'loss')::int,
                 t.max_attempts,
                 t.max_losses) then 'failed'
             when e.charge = 'loss' then 'lost'
             else 'retrying'
           end as outcome
    from unnest(p_ends) with ordinality as e(running, charge, final, after, error, no)
    join tenuto.tasks t on t.id = (e.running).id
    cross join lateral (
      select (count(*) filter (where a.outcome = 'retrying'))::int as failures,
             (count(*) filter (where a.outcome = 'lost'))::int as losses
      from tenuto.task_attempts a
      where a.task_id = t.id and a.end_no > 0
    ) h
  ), untolerated_failures as materialized (   -- not optional, and not all edges are `continue`
    select s.id
    from ends s
    where s.outcome = 'failed'
      and not s.optional
      and not (tenuto._has_dependents(s.flags)
               and coalesce(
                 (select bool_and(d.runs_on = 'continue') from tenuto.task_dependencies d where d.parent_id = s.id),
                 false))
  ), history as (
    insert into tenuto.task_attempts (task_id, org_id, queued_at, started_at, ended_at, session_id, end_no, attempt,
      outcome, reported, error, progress, message, route_id)
    select id, org_id, queued_at, started_at, tenuto.now(), session_id,
           case when outcome in ('failed', 'cancelled') then 0 else attempt end, attempt, outcome, p_reported, error,
           progress, message, route_id
    from ends
  ), counts as (
    insert into tenuto.run_counts (run_id, org_id, failed, cancelled, untolerated_failures, started_at, failed_task_id)
    select run_id, org_id, count(*) filter (where outcome = 'failed'), count(*) filter (where outcome = 'cancelled'),
           count(s.id), min(started_at), (array_agg(s.id order by s.id) filter (where s.id is not null))[1]
    from ends
    left join untolerated_failures s using (id)
    where not tenuto._is_single_task_run(flags) and (outcome in ('failed', 'cancelled') or attempt = 1)
    group by 1, 2
  ), delayed as (
    insert into tenuto.delayed_tasks
      (available_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags, reason)
    select case when after is not null then tenuto.now() + make_interval(secs => after)
                when outcome = 'lost' and charged = 1 then tenuto.now()
                else tenuto._retry_at(backoff_seconds, charged) end,
           id, org_id, run_id, route_id, group_no, priority, attempt, flags, 'retry'
    from ends
    where outcome in ('lost', 'retrying')
  )
  select array_agg(outcome order by no),
         array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task order by no),
         array_agg(id) filter (where tenuto._is_job_task(flags)),
         array_agg(case when outcome in ('failed', 'cancelled') then 0 else attempt end)
           filter (where tenuto._is_job_task(flags))
  into v_outcomes, v_queued, v_jobs, v_end_nos
  from ends;
  if v_jobs is not null then
    perform tenuto._emit_ends(v_jobs, v_end_nos);
  end if;
  return tenuto._propagate_end(v_queued, v_outcomes);
end
$$;
