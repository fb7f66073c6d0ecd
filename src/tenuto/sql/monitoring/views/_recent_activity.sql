-- Returns the rows of recent_task_activity for an org.
create or replace function tenuto._recent_activity(p_org_id uuid)
  returns table (
    id uuid, run_id uuid, name text, status text, task_type text, queue text, attempts int, worker_id text,
    created_at timestamptz, started_at timestamptz, ended_at timestamptz, updated_at timestamptz, error_message text,
    processing_duration_seconds float8, worker_instance_type text, worker_status text, worker_ids text[])
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set jit = off
as $$
  select
    t.id, t.run_id, t.name,
    tenuto._live_status(f.outcome, u.id is not null, r.id is not null, d.reason, w.waits_for) as status,
    i.type as task_type, i.queue,
    tenuto._attempt_number(coalesce(f.attempt, u.attempt, r.attempt, d.attempt, w.attempt, 0)::int, a.charged::int,
      f.outcome = 'failed' or d.reason = 'retry') as attempts,
    k.id as worker_id, t.created_at, coalesce(a.started_at, u.started_at) as started_at, f.ended_at,
    greatest(a.ended_at, u.started_at, r.queued_at, t.created_at) as updated_at,
    left(coalesce(x.error ->> 'message', nullif(tenuto._format_error(x.error), '')), 1000) as error_message,
    extract(epoch from coalesce(f.ended_at, tenuto.now()) - coalesce(f.started_at, u.started_at))::float8
      as processing_duration_seconds,
    k.instance_type as worker_instance_type, k.status as worker_status,
    array(
      select distinct s.worker_id from tenuto.sessions s where s.id = any (a.sessions || u.session_id)) as worker_ids
  from tenuto._recent_tasks(p_org_id) n
  join tenuto.tasks t on t.id = n
  join tenuto.routes i on i.id = t.route_id
  left join tenuto.task_attempts f on f.task_id = t.id and f.end_no = 0
  left join tenuto.running_tasks u on u.id = t.id
  left join tenuto.ready_tasks r on r.id = t.id
  left join tenuto.delayed_tasks d on d.id = t.id
  left join tenuto.waiting_tasks w on w.id = t.id
  cross join lateral (
    select count(*) filter (where e.outcome in ('failed', 'retrying', 'lost')) as charged,
           min(e.started_at) as started_at, max(e.ended_at) as ended_at, array_agg(e.session_id) as sessions,
           max(e.session_id) as session_id
    from tenuto.task_attempts e
    where e.task_id = t.id
  ) a
  left join lateral (
    select e.error
    from tenuto.task_attempts e
    where e.task_id = t.id
      and e.outcome in ('failed', 'retrying', 'lost')
    order by e.ended_at desc
    limit 1
  ) x on a.charged > 0
  left join tenuto.sessions s on s.id = coalesce(u.session_id, f.session_id, a.session_id)
  left join tenuto.workers k on k.org_id = s.org_id and k.id = s.worker_id;
$$;
