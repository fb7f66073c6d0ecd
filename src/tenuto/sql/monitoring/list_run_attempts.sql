-- Returns the attempts of all tasks of a run, including the running ones, in the order in which they began: what ran
-- when and where. Returns at most p_limit attempts (1 to 5,000). Raises TN001 if the run does not exist.
create or replace function tenuto.list_run_attempts(p_org_id uuid, p_run_id uuid, p_limit int default 1000)
  returns table (
    task_id uuid, name text, type text, attempt int, outcome text, worker_id text, queued_at timestamptz,
    started_at timestamptz, ended_at timestamptz)
  language plpgsql
  stable
  set jit = off
as $$
begin
  if p_limit not between 1 and 5000 then
    perform tenuto._raise('TN003', format('the limit is %s, not 1 to 5000', p_limit), 'pass a limit from 1 to 5000');
  end if;
  if not exists (select from tenuto.runs r where r.id = p_run_id and r.org_id = p_org_id) then
    perform tenuto._raise('TN001', format('no run %s', p_run_id), 'list the runs to see which exist');
  end if;
  return query
  select t.id, t.name, o.type, e.attempt::int, e.outcome, s.worker_id, e.queued_at, e.started_at, e.ended_at
  from tenuto._run_tasks(p_run_id) t
  join tenuto.routes o on o.id = t.route_id
  cross join lateral (
    select a.attempt, a.outcome, a.session_id, a.queued_at, a.started_at, a.ended_at
    from tenuto.task_attempts a
    where a.task_id = t.id and a.started_at is not null
    union all
    select r.attempt, 'running', r.session_id, r.queued_at, r.started_at, null
    from tenuto.running_tasks r
    where r.id = t.id
  ) e
  left join tenuto.sessions s on s.id = e.session_id
  order by e.started_at, t.id
  limit p_limit;
end
$$;
