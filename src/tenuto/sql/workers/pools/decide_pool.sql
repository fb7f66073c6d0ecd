-- Records a decision about a pool and begins to carry it out. Returns false and changes nothing if the pool was changed
-- since decision p_expected, if this dispatcher does not control it, or on a copy of the database. -> starting: the
-- machines p_spawn, before they are requested from the provider. active -> draining: the workers of the machines
-- p_drain. starting -> terminated: the machines p_cancel that have not registered. p_busy: machines that have tasks
-- now. p_max_machines: also returns false if the provider would run more machines than this for the org. p_requested:
-- how many of the machines requested by hand (request_machines) this decision covers. A decision is stored if it does
-- something, has an anomaly, or differs from the last stored decision in p_wanted or in its rule.
create or replace function tenuto.decide_pool(
  p_org_id uuid, p_pool_id uuid, p_dispatcher_id uuid, p_expected bigint, p_workers int, p_wanted int, p_reason text,
  p_facts jsonb, p_spawn text[] default '{}', p_drain text[] default '{}', p_cancel text[] default '{}',
  p_busy text[] default '{}', p_max_machines int default null, p_requested int default 0)
  returns boolean
  language plpgsql
as $$
declare
  v_pool tenuto.pools;
  v_acts boolean := cardinality(p_spawn || p_drain || p_cancel) > 0 or p_requested > 0
    or jsonb_array_length(coalesce(p_facts -> 'anomalies', '[]')) > 0;
  v_last record;
begin
  select * into v_pool
  from tenuto.pools p
  where p.org_id = p_org_id
    and p.id = p_pool_id
    and p.decision_no = p_expected
    and p.controlled_by = p_dispatcher_id
  for no key update;
  if not found or tenuto._copy_problem() is not null then
    return false;
  end if;
  if cardinality(p_spawn) > 0 and p_max_machines is not null then
    perform pg_advisory_xact_lock(hashtextextended(format('tenuto.machines %s %s', p_org_id, v_pool.provider), 0));
    if tenuto._count_provider_machines(p_org_id, v_pool.provider) + cardinality(p_spawn) > p_max_machines then
      return false;   -- another pool of the provider has added machines meanwhile
    end if;
  end if;
  update tenuto.workers w
  set busy_at = tenuto.now()
  where w.org_id = p_org_id
    and w.pool_id = p_pool_id
    and coalesce(w.machine, w.id) = any (p_busy);
  select d.wanted, d.facts ->> 'rule' as rule into v_last
  from tenuto.scaling_decisions d
  where d.org_id = p_org_id
    and d.pool_id = p_pool_id
  order by d.decided_at desc, d.id desc
  limit 1;
  if not v_acts and v_last.wanted = p_wanted and v_last.rule is not distinct from p_facts ->> 'rule' then
    return true;
  end if;

  insert into tenuto.scaling_decisions (id, org_id, pool_id, decided_at, workers, wanted, reason, facts)
  values (tenuto._uuid7(), p_org_id, p_pool_id, tenuto.now(), p_workers, p_wanted, left(p_reason, 1024), p_facts);
  perform tenuto.expect_worker(p_org_id, m.id, v_pool.provider, jsonb_build_object('pool', v_pool.name), p_pool_id)
  from unnest(p_spawn) m(id);
  update tenuto.workers w
  set status = case when w.status = 'active' then 'draining' else 'terminated' end,
      drained_at = case when w.status = 'active' then tenuto.now() end,
      drain_reason = left(p_reason, 1024),
      terminated_at = case when w.status = 'starting' then tenuto.now() end
  where w.org_id = p_org_id
    and w.pool_id = p_pool_id
    and ((w.status = 'active' and coalesce(w.machine, w.id) = any (p_drain))
         or (w.status = 'starting' and w.id = any (p_cancel)));
  update tenuto.pools p
  set decision_no = p.decision_no + 1,
      requested = greatest(p.requested - p_requested, 0),
      scaled_down_at = case when cardinality(p_drain || p_cancel) > 0 then tenuto.now() else p.scaled_down_at end
  where p.org_id = p_org_id
    and p.id = p_pool_id;
  return true;
end
$$;
