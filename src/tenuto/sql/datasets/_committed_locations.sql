-- Returns a page of the locations that a reader of a dataset version reads, in the order of partitions. These are the
-- locations of one partition, of the partitions that p_map maps to p_target, or of all partitions. If the job appends
-- to the dataset, returns all commits; otherwise returns the current commit of each partition. p_before: a UUIDv7;
-- returns the state at its time.
create or replace function tenuto._committed_locations(
  p_org_id uuid, p_version_id uuid, p_partition text, p_appends boolean, p_after_partition text, p_after_id uuid,
  p_limit int, p_before uuid default null, p_map jsonb default null, p_target text default null)
  returns table (partition_key text, id uuid, location text, fingerprint text)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  with bounds as (   -- the range of keys that can map to the target
    select p_target as low, case p_map ->> 'every'
             when 'month' then to_char((p_target || '-01')::timestamp + interval '1 month', 'YYYY-MM')
             when 'week' then to_char(p_target::timestamp + interval '7 days', 'YYYY-MM-DD')
             else to_char(left(p_target, 10)::timestamp + interval '1 day', 'YYYY-MM-DD') end as high
    where p_map ->> 'kind' = 'time' and p_target = any (tenuto._map_partition(p_target, p_map))
  )
  (select v.partition_key, v.id, v.location, v.fingerprint
   from tenuto.partition_versions v
   where p_appends
     and v.org_id = p_org_id and v.dataset_version_id = p_version_id
     and (p_partition is null or v.partition_key = p_partition)
     and (p_after_id is null or (v.partition_key, v.id) > (p_after_partition, p_after_id))
     and (p_before is null or v.id < p_before)
     and (p_map is null or p_map ->> 'kind' <> 'time'
          or v.partition_key >= (select low from bounds) and v.partition_key < (select high from bounds))
     and (p_map is null or p_target = any (tenuto._map_partition(v.partition_key, p_map)))
   order by v.partition_key, v.id
   limit p_limit)
  union all
  (select c.partition_key, v.id, v.location, v.fingerprint
   from tenuto.current_partitions c
   cross join lateral (
     select v.id, v.location, v.fingerprint
     from tenuto.partition_versions v
     where v.org_id = c.org_id
       and (p_before is null and v.id = c.partition_version_id
            or p_before is not null and v.dataset_version_id = c.dataset_version_id
               and v.partition_key = c.partition_key and v.id < p_before)
     order by v.task_id desc
     limit 1) v
   where not p_appends
     and c.org_id = p_org_id and c.dataset_version_id = p_version_id
     and (p_partition is null or c.partition_key = p_partition)
     and (p_after_id is null or c.partition_key > p_after_partition)
     and (p_map is null or p_map ->> 'kind' <> 'time'
          or c.partition_key >= (select low from bounds) and c.partition_key < (select high from bounds))
     and (p_map is null or p_target = any (tenuto._map_partition(c.partition_key, p_map)))
   order by c.partition_key
   limit p_limit);
$$;
