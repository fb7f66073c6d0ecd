-- Returns the partitions that a job computes from the partitions p_keys of one of its inputs and that are not committed
-- in its output. Returns at most p_limit rows, and more only to complete those of the last input partition. Column no:
-- the position of the input partition in p_keys. p_earlier: versions of the inputs that were searched before and have
-- the same partitions as the job; partitions that are committed in one of them are left out.
create or replace function tenuto._uncommitted_partitions(
  p_job tenuto.jobs, p_output_version uuid, p_input int, p_scheme jsonb, p_keys text[],
  p_earlier uuid[], p_limit int)
  returns table (no bigint, key text, partition text)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with mapped as materialized (
    select m.partition, min(k.no) as no
    from tenuto.job_inputs i
    cross join unnest(p_keys) with ordinality k(key, no)
    cross join lateral unnest(tenuto._map_partition(k.key, i.definition -> 'map')) m(partition)
    where i.org_id = p_job.org_id and i.job_id = p_job.id and i.no = p_input
      and (i.definition -> 'where' = '{}' or tenuto._passes_filter(i.definition -> 'where',
             jsonb_populate_record(null::tenuto.events, jsonb_build_object('partition_key', k.key)), p_scheme))
    group by m.partition
  )
  select m.no, p_keys[m.no], m.partition
  from mapped m
  where not coalesce((   -- the limit makes Postgres look up each key instead of hashing all
    select true
    from tenuto.current_partitions c
    where c.org_id = p_job.org_id and c.dataset_version_id = p_output_version and c.partition_key = m.partition
    limit 1), false)
    and not exists (
      select from tenuto.current_partitions c
      where c.org_id = p_job.org_id and c.dataset_version_id = any (p_earlier) and c.partition_key = m.partition)
  order by m.no
  fetch first p_limit rows with ties;
$$;
