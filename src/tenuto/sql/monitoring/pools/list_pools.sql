-- Returns a page of the pools of an org in the order of their names, starting after the name p_after. p_name: only this
-- pool; raises TN001 if there is none. Each row has the policy, the machines by status, the ready tasks that the
-- workers could take, the last decision, and the problem of the provider.
create or replace function tenuto.list_pools(
  p_org_id uuid, p_after text default null, p_limit int default 50, p_name text default null)
  returns table (
    name text, provider text, min_workers int, max_workers int, spare_workers int, tasks_per_worker int,
    queues text[], types text[], labels text[], scale_up_multiplier float8, scale_down_multiplier float8,
    idle_timeout_seconds float8, over_capacity_timeout_seconds float8, scale_down_grace_seconds float8,
    starting_grace_seconds float8, spawn_timeout_seconds float8, max_failure_rate float8,
    failure_window_seconds float8, min_spawns_for_rate int, settings jsonb, tiers jsonb, paused_at timestamptz,
    created_at timestamptz, starting int, active int, busy int, draining int, error int, external int, running int,
    ready bigint, wanted int, reason text, decided_at timestamptz, problem text, problem_at timestamptz,
    controlled boolean, id uuid)
  language plpgsql
  stable
as $$
begin
  perform tenuto._check_page(p_limit);
  return query
  with listed as materialized (
    select p.*
    from tenuto.pools p
    where p.org_id = p_org_id
      and (p_after is null or p.name > p_after)
      and (p_name is null or p.name = p_name)
    order by p.name
    limit p_limit
  ), machine as materialized (
    select m.pool_id, count(*) filter (where m.status = 'starting') as starting,
           count(*) filter (where m.status = 'active') as active,
           count(*) filter (where m.status = 'active' and m.running > 0) as busy,
           count(*) filter (where m.status = 'draining') as draining,
           count(*) filter (where m.status = 'error') as error,
           count(*) filter (where m.external) as external, sum(m.running) as running
    from tenuto._pool_machines(p_org_id) m
    group by 1
  )
  select p.name, p.provider, p.min_workers, p.max_workers, p.spare_workers, p.tasks_per_worker, p.queues, p.types,
         p.labels, p.scale_up_multiplier, p.scale_down_multiplier, p.idle_timeout_seconds::float8,
         p.over_capacity_timeout_seconds, p.scale_down_grace_seconds, p.starting_grace_seconds,
         p.spawn_timeout_seconds, p.max_failure_rate, p.failure_window_seconds, p.min_spawns_for_rate, p.settings,
         p.tiers, p.paused_at, p.created_at, coalesce(m.starting, 0)::int, coalesce(m.active, 0)::int,
         coalesce(m.busy, 0)::int, coalesce(m.draining, 0)::int, coalesce(m.error, 0)::int,
         coalesce(m.external, 0)::int, coalesce(m.running, 0)::int, coalesce(w.ready, 0), d.wanted, d.reason,
         d.decided_at, p.problem, p.problem_at, coalesce(p.controlled_until >= tenuto.now(), false), p.id
  from listed p
  left join machine m on m.pool_id = p.id
  left join tenuto._pool_work(p_org_id) w on w.pool_id = p.id
  left join lateral (
    select s.wanted, s.reason, s.decided_at
    from tenuto.scaling_decisions s
    where s.org_id = p_org_id and s.pool_id = p.id
    order by s.decided_at desc, s.id desc
    limit 1
  ) d on true
  order by p.name;
  if not found and p_name is not null then
    perform tenuto._raise('TN001', format('no pool %s', left(p_name, 256)), 'list the pools to see which exist');
  end if;
end
$$;
