-- Raises TN003 for a pool with a value that the table cannot hold. The message names the wrong field.
create or replace function tenuto._check_pool(p_pool tenuto.pools)
  returns void
  language plpgsql
as $$
declare
  v_wrong text;
begin
  perform tenuto._check_name('the provider of a pool', coalesce(p_pool.provider, ''));
  perform tenuto._check_names('the queues of a pool', p_pool.queues);
  perform tenuto._check_queue_name('one of the queues of a pool', q) from unnest(p_pool.queues) q;
  perform tenuto._check_names('the types of a pool', p_pool.types);
  perform tenuto._check_names('the labels of a pool', p_pool.labels);
  select c.text into v_wrong
  from (values
    (p_pool.max_workers between 0 and 10000, 'max_workers is not between 0 and 10000'),
    (p_pool.min_workers between 0 and p_pool.max_workers, 'min_workers is not between 0 and max_workers'),
    (p_pool.spare_workers between 0 and p_pool.max_workers, 'spare_workers is not between 0 and max_workers'),
    (p_pool.tasks_per_worker between 1 and 10000, 'tasks_per_worker is not between 1 and 10000'),
    (p_pool.scale_up_multiplier between 0.001 and 1000, 'scale_up_multiplier is not between 0.001 and 1000'),
    (p_pool.scale_down_multiplier between 0.001 and 1000, 'scale_down_multiplier is not between 0.001 and 1000'),
    (p_pool.idle_timeout_seconds between 0 and 315360000, 'idle_timeout_seconds is not between 0 and ten years'),
    (p_pool.over_capacity_timeout_seconds between 0 and 315360000,
     'over_capacity_timeout_seconds is not between 0 and ten years'),
    (p_pool.scale_down_grace_seconds between 0 and 315360000,
     'scale_down_grace_seconds is not between 0 and ten years'),
    (p_pool.starting_grace_seconds between 0 and 315360000, 'starting_grace_seconds is not between 0 and ten years'),
    (p_pool.spawn_timeout_seconds between 1 and 315360000, 'spawn_timeout_seconds is not between 1 and ten years'),
    (p_pool.failure_window_seconds between 1 and 315360000, 'failure_window_seconds is not between 1 and ten years'),
    (p_pool.max_failure_rate between 0 and 1, 'max_failure_rate is not between 0 and 1'),
    (p_pool.min_spawns_for_rate between 1 and 10000, 'min_spawns_for_rate is not between 1 and 10000'),
    (jsonb_typeof(p_pool.settings) = 'object', 'settings is not an object'),
    (pg_column_size(p_pool.settings) <= 65536, 'settings has more than 64 kB'),
    (jsonb_typeof(p_pool.tiers) = 'array'
     and not jsonb_path_exists(p_pool.tiers, 'strict $[*] ? (@.type() != "object")'), 'tiers is not a list of objects'),
    (pg_column_size(p_pool.tiers) <= 65536, 'tiers has more than 64 kB')
  ) c(holds, text)
  where c.holds is not true
  limit 1;
  if found then
    perform tenuto._raise('TN003', format('the policy of pool %s is wrong: %s', p_pool.name, v_wrong));
  end if;
end
$$;
