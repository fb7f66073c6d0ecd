-- Raises TN003 if the policy of a pool is not an object, has an unknown field, has a field that is null, or has a
-- `paused` that is not true or false. Only `queues` and `types` can be null, which means all.
create or replace function tenuto._check_policy(p_name text, p_policy jsonb)
  returns void
  language plpgsql
as $$
declare
  v_known constant text[] := '{provider,min_workers,max_workers,spare_workers,idle_timeout_seconds,settings,paused,'
    'queues,types,labels,tasks_per_worker,scale_up_multiplier,scale_down_multiplier,over_capacity_timeout_seconds,'
    'scale_down_grace_seconds,starting_grace_seconds,spawn_timeout_seconds,max_failure_rate,failure_window_seconds,'
    'min_spawns_for_rate,tiers}';
  v_wrong text;
begin
  if p_policy is null or jsonb_typeof(p_policy) <> 'object' then
    perform tenuto._raise('TN003', format('the policy of pool %s is not an object', p_name));
  end if;
  select k into v_wrong from jsonb_object_keys(p_policy) k where k <> all (v_known) limit 1;
  if found then
    perform tenuto._raise('TN003', format('%L is not a field of the policy of a pool', left(v_wrong, 64)),
      'the fields are ' || array_to_string(v_known, ', '));
  end if;
  select e.key into v_wrong
  from jsonb_each(p_policy) e
  where jsonb_typeof(e.value) = 'null' and e.key not in ('queues', 'types')
  limit 1;
  if found then
    perform tenuto._raise('TN003', format('%s of pool %s is null', v_wrong, p_name), 'leave it out to keep its value');
  end if;
  if p_policy ? 'paused' and jsonb_typeof(p_policy -> 'paused') <> 'boolean' then
    perform tenuto._raise('TN003', format('paused of pool %s is not true or false', p_name));
  end if;
end
$$;
