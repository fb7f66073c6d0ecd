-- Returns for how long a pool keeps its last worker without work. This is the longest idle_timeout of the reactive jobs
-- whose tasks the pool could run, in the current versions of their DAGs. An idle_timeout of "never" counts as ten
-- years. Without such jobs, it is the idle timeout of the pool. Only pools that serve the queue `default` run tasks of
-- jobs.
create or replace function tenuto._pool_idle_seconds(p_pool tenuto.pools)
  returns float8
  language sql
  stable
as $$
  select coalesce(max(
    case t.idle when '0' then 0 when 'never' then 315360000 else extract(epoch from t.idle::interval) end::float8),
    p_pool.idle_timeout_seconds)
  from (
    select j.definition ->> 'idle_timeout' as idle
    from tenuto.dag_current_versions c
    join tenuto.jobs j on j.org_id = c.org_id and j.dag_version_id = c.dag_version_id
    where c.org_id = p_pool.org_id
      and j.activation = 'reactive'
      and j.definition ->> 'idle_timeout' is not null
      and (p_pool.queues is null or 'default' = any (p_pool.queues))
      and (p_pool.types is null
           or tenuto._job_type(j.operator, j.definition -> 'config') = any (p_pool.types))
    offset 0
  ) t;
$$;
