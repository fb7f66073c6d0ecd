-- Returns every attempt of a task, oldest first, including the running one. An attempt that waited, snoozed or was
-- given back by its worker has the same number as the attempt that continues it.
create or replace function tenuto.list_attempts(p_org_id uuid, p_task_id uuid)
  returns table (
    attempt int, outcome text, worker_id text, session_id bigint, queued_at timestamptz, started_at timestamptz,
    ended_at timestamptz, duration_seconds float8, reported boolean, error jsonb)
  language plpgsql
  stable
as $$
begin
  if not exists (select from tenuto.tasks t where t.id = p_task_id and t.org_id = p_org_id) then
    perform tenuto._raise('TN001', format('no task %s', p_task_id), 'list the tasks to see which exist');
  end if;
  return query
  select (1 + count(*) filter (where e.outcome in ('retrying', 'lost'))
               over (order by e.attempt, e.ended_at rows between unbounded preceding and 1 preceding))::int,
         e.outcome, s.worker_id, e.session_id, e.queued_at, e.started_at, e.ended_at,
         extract(epoch from e.ended_at - e.started_at)::float8, e.reported, tenuto._listed_error(e.error)
  from (
    select a.attempt, a.outcome, a.session_id, a.queued_at, a.started_at, a.ended_at, a.reported, a.error
    from tenuto.task_attempts a
    where a.task_id = p_task_id
    union all
    select r.attempt, 'running', r.session_id, r.queued_at, r.started_at, null, false, null
    from tenuto.running_tasks r
    where r.id = p_task_id
  ) e
  left join tenuto.sessions s on s.id = e.session_id
  order by e.attempt, e.ended_at;
end
$$;
