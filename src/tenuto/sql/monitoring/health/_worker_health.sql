-- Returns the workers of an org, or only those in p_ids, with what they run and their health. dead: the lease of its
-- session is over, even if no dispatcher has noticed it yet, or the worker is in state error. no_heartbeat: it has not
-- sent a heartbeat yet. stale_heartbeat: its last heartbeat is too old. stuck_task: one of its tasks has run for too
-- long, even if the worker sends heartbeats. A task is not stuck while its own timeout or heartbeat timeout allows it
-- to run, or if the org exempts its type. Terminated workers have no health; without p_ids, they are left out. A worker
-- that opens no sessions has no lease.
create or replace function tenuto._worker_health(p_org_id uuid, p_ids text[] default null)
  returns table (
    worker tenuto.workers, health_status text, running_tasks int, stuck_tasks int, current_task_id uuid,
    current_task_type text, current_task_started_at timestamptz,
    lease_expires_at timestamptz)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with threshold as materialized (
    select t.stale_after, t.stuck_after,
           array(select tenuto._glob_to_like(n) from unnest(t.never_stuck) n) as never_stuck
    from tenuto.orgs o
    cross join lateral tenuto._health_thresholds(o.settings) t
    where o.id = p_org_id
  ), lease as materialized (
    select s.worker_id, max(s.expires_at) as expires_at
    from tenuto.sessions s
    where s.org_id = p_org_id
      and s.ended_at is null
      and (p_ids is null or s.worker_id = any (p_ids))
    group by 1
  ), held as materialized (
    select s.worker_id, count(*)::int as running, (array_agg(r.id order by r.started_at))[1] as oldest,
           min(r.started_at) as started_at,
           count(*) filter (
             where r.started_at < tenuto.now() - t.stuck_after
               and coalesce(r.deadline_at < tenuto.now(), true)
               and coalesce(r.silent_at < tenuto.now(), true)
               and o.type not like all (t.never_stuck))::int as stuck
    from tenuto.running_tasks r
    join tenuto.sessions s on s.id = r.session_id
    join tenuto.routes o on o.id = r.route_id
    cross join threshold t
    where r.org_id = p_org_id
      and (p_ids is null or s.worker_id = any (p_ids))
    group by 1
  )
  select w,
         case when w.status = 'terminated' then null
              when w.status = 'error' or l.expires_at < tenuto.now() then 'dead'
              when w.last_heartbeat is null then 'no_heartbeat'
              when w.last_heartbeat < tenuto.now() - t.stale_after then 'stale_heartbeat'
              when h.stuck > 0 then 'stuck_task'
              else 'healthy' end,
         coalesce(h.running, 0), coalesce(h.stuck, 0), h.oldest, o.type, h.started_at, l.expires_at
  from tenuto.workers w
  cross join threshold t
  left join lease l on l.worker_id = w.id
  left join held h on h.worker_id = w.id
  left join tenuto.running_tasks r on r.id = h.oldest
  left join tenuto.routes o on o.id = r.route_id
  where w.org_id = p_org_id
    and case when p_ids is null then w.status <> 'terminated' else w.id = any (p_ids) end;
$$;
