-- Returns the machines that have not ended, of one pool or of all pools of an org, one row each. A machine is active if
-- one of its workers is active. idle_seconds: the time since its last attempt ended, since it was last seen with tasks,
-- or since its last session began, whichever is shortest; null while it runs tasks or is not active. external: the
-- machine is a worker that no provider started, and whose metadata has the name of the pool.
create or replace function tenuto._pool_machines(p_org_id uuid, p_pool_id uuid default null)
  returns table (
    pool_id uuid, id text, status text, provider_id text, running int, idle_seconds float8, age_seconds float8,
    has_registered boolean, external boolean, error text, created_at timestamptz)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with member as materialized (
    select w.pool_id, coalesce(w.machine, w.id) as machine, w.id, w.status, w.provider_id, w.busy_at, w.created_at,
           w.last_heartbeat, w.error, false as external
    from tenuto.workers w
    where w.org_id = p_org_id
      and w.pool_id is not null
      and w.machine_ended_at is null
      and (p_pool_id is null or w.pool_id = p_pool_id)
    union all
    select p.id, w.id, w.id, w.status, null, w.busy_at, w.created_at, w.last_heartbeat, w.error, true
    from tenuto.workers w
    join tenuto.pools p on p.org_id = w.org_id and p.name = w.metadata ->> 'pool'
    where w.org_id = p_org_id
      and w.status in ('active', 'draining')
      and w.pool_id is null
      and (p_pool_id is null or p.id = p_pool_id)
  ), held as materialized (
    select s.worker_id, count(*)::int as running
    from tenuto.running_tasks r
    join tenuto.sessions s on s.id = r.session_id
    where r.org_id = p_org_id
    group by 1
  ), ended as materialized (
    select r.name, max(r.last_ended_at) as at
    from tenuto.rollups r
    where r.org_id = p_org_id
      and r.period = 'minute'
      and r.dimension = 'worker'
      and r.starts_at >= tenuto.now() - interval '1 hour'
      and exists (select from member m where m.id = r.name)
    group by 1
  ), opened as materialized (
    select s.worker_id, max(s.started_at) as at
    from tenuto.sessions s
    where s.org_id = p_org_id
      and s.worker_id in (select m.id from member m)
    group by 1
  ), machine as (
    select m.pool_id, m.machine,
           min(array_position('{active,draining,starting,error,terminated}', m.status)) as state,
           max(m.provider_id) as provider_id, coalesce(sum(h.running), 0)::int as running,
           greatest(max(m.busy_at), max(e.at), max(o.at), min(m.created_at)) as busy_at,
           min(m.created_at) as created_at, bool_or(m.last_heartbeat is not null) as has_registered,
           bool_and(m.external) as external, max(m.error) as error
    from member m
    left join held h on h.worker_id = m.id
    left join ended e on e.name = m.id
    left join opened o on o.worker_id = m.id
    group by 1, 2
  )
  select m.pool_id, m.machine, ('{active,draining,starting,error,terminated}'::text[])[m.state], m.provider_id,
         m.running,
         case when m.state = 1 and m.running = 0
              then greatest(extract(epoch from tenuto.now() - m.busy_at), 0)::float8 end,
         greatest(extract(epoch from tenuto.now() - m.created_at), 0)::float8, m.has_registered, m.external, m.error,
         m.created_at
  from machine m;
$$;
