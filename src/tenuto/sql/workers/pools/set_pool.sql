-- Creates a pool, or changes the fields of its policy that are in p_policy. decide_pool then refuses a decision that
-- was made from the old policy. Returns the pool's id.
create or replace function tenuto.set_pool(p_org_id uuid, p_name text, p_policy jsonb)
  returns uuid
  language plpgsql
as $$
declare
  v_old tenuto.pools;
  v_pool tenuto.pools;
begin
  perform tenuto._check_name('the name of a pool', coalesce(p_name, ''));
  perform tenuto._check_policy(p_name, p_policy);
  if not exists (select from tenuto.pools p where p.org_id = p_org_id and p.name = p_name)
     and (select count(*) from tenuto.pools p where p.org_id = p_org_id) >= 100 then
    perform tenuto._raise('TN007', 'the org already has its maximum of 100 pools', 'delete one that is not used');
  end if;
  insert into tenuto.pools (id, org_id, name, provider, max_workers, created_at)
  values (tenuto._uuid7(), p_org_id, p_name, coalesce(nullif(p_policy ->> 'provider', ''), 'local'), 1, tenuto.now())
  on conflict (org_id, name) do update set name = excluded.name
  returning * into v_old;
  begin
    v_pool := jsonb_populate_record(v_old, p_policy - 'paused');
  exception when others then
    perform tenuto._raise('TN003', format('the policy of pool %s is wrong: %s', p_name, sqlerrm));
  end;
  v_pool.paused_at := case (p_policy ->> 'paused')::boolean
    when true then coalesce(v_old.paused_at, tenuto.now()) when false then null else v_old.paused_at end;
  perform tenuto._check_pool(v_pool);
  if v_pool.provider <> v_old.provider and exists (
    select from tenuto.workers w
    where w.org_id = p_org_id and w.pool_id = v_old.id and w.provider_id is not null
      and w.machine_ended_at is null) then
    perform tenuto._raise('TN004', format('pool %s has machines of provider %s', p_name, v_old.provider),
      'set max_workers to 0, and change the provider when they have ended');
  end if;

  update tenuto.pools p
  set provider = v_pool.provider,
      min_workers = v_pool.min_workers,
      max_workers = v_pool.max_workers,
      spare_workers = v_pool.spare_workers,
      idle_timeout_seconds = v_pool.idle_timeout_seconds,
      settings = v_pool.settings,
      paused_at = v_pool.paused_at,
      queues = v_pool.queues,
      types = v_pool.types,
      labels = coalesce(v_pool.labels, '{}'),
      tasks_per_worker = v_pool.tasks_per_worker,
      scale_up_multiplier = v_pool.scale_up_multiplier,
      scale_down_multiplier = v_pool.scale_down_multiplier,
      over_capacity_timeout_seconds = v_pool.over_capacity_timeout_seconds,
      scale_down_grace_seconds = v_pool.scale_down_grace_seconds,
      starting_grace_seconds = v_pool.starting_grace_seconds,
      spawn_timeout_seconds = v_pool.spawn_timeout_seconds,
      max_failure_rate = v_pool.max_failure_rate,
      failure_window_seconds = v_pool.failure_window_seconds,
      min_spawns_for_rate = v_pool.min_spawns_for_rate,
      tiers = v_pool.tiers,
      decision_no = p.decision_no + 1
  where p.org_id = p_org_id
    and p.id = v_pool.id;
  perform tenuto._audit(p_org_id, 'pool', p_name, 'set', p_policy);
  return v_pool.id;
end
$$;
