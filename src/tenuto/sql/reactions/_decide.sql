-- Returns what events do to the jobs that read the changed outputs: triggered, filtered, paused or stale, with the
-- reason. Does not check whether a queued task takes over an event (deduped): _start_reactions does. Without p_job_id,
-- leaves out pairs of an event and a job that have a reaction already. With p_job_id, decides only about this job and
-- the events that wait for it, which have the reaction paused. Leaves out the jobs of the DAGs in p_without. A job that
-- reads an output through two inputs reacts once.
create or replace function tenuto._decide(
  p_org_id uuid, p_event_ids uuid[], p_job_id uuid default null, p_without uuid[] default '{}')
  returns setof tenuto.event_decision
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with consumers as materialized (
    select s.source, c.job_id, c.input, c.mode, j.job_key, j.dag_version_id, i.definition as input_definition,
           j.definition ->> 'execution_strategy' as strategy, k.paused_at, k.pause_reason, k.hold_reason, v.version,
           p.definition -> 'outputs' -> s.output -> 'partition' as partition, c.dag_id as reader, o.dag_id as producer
    from tenuto._sources(p_org_id, p_event_ids) s
    cross join lateral tenuto._consumers(
      p_org_id, s.dataset_id, s.dataset_version_id, s.job_key, s.output, s.dag_version_id) c
    join tenuto.jobs j on j.org_id = p_org_id and j.id = c.job_id
    join tenuto.job_inputs i on i.org_id = p_org_id and i.job_id = c.job_id and i.no = c.input
    join tenuto.job_controls k on k.org_id = p_org_id and k.job_key = j.job_key
    join tenuto.dag_versions v on v.org_id = p_org_id and v.id = j.dag_version_id
    join tenuto.dag_versions o on o.org_id = p_org_id and o.id = s.dag_version_id
    left join tenuto.jobs p on p.org_id = p_org_id and p.dag_version_id = s.dag_version_id and p.job_key = s.job_key
    where (p_job_id is null or c.job_id = p_job_id) and c.dag_id <> all (p_without)
  ), pairs as materialized (
    select e.id, e.partition_key, c.*,
           case when coalesce(c.input_definition #>> '{map,kind}', 'identity') = 'identity' then array[e.partition_key]
                else tenuto._map_partition(e.partition_key, c.input_definition -> 'map') end as partitions,
           case when c.input_definition -> 'where' = '{}' then true
                else tenuto._passes_filter(c.input_definition -> 'where', e, c.partition) end as passes,
           tenuto._downstream(e.task_id) as downstream,
           e.fingerprint = (
             select v.fingerprint
             from tenuto.partition_versions v
             where v.org_id = p_org_id and v.dataset_version_id = e.dataset_version_id
               and v.partition_key = e.partition_key and v.id < e.id
             order by v.id desc
             limit 1) as unchanged
    from tenuto.events e
    join consumers c on c.source = tenuto._source(
      e.dataset_version_id, e.dag_version_id, e.job_key, e.output)
    left join tenuto.event_reactions r on r.event_id = e.id and r.job_id = c.job_id
    where e.id = any (p_event_ids) and e.org_id = p_org_id
      -- Events that a cutover or rollback wrote are only for jobs of other DAGs.
      and not (e.task_id is null and e.data ? 'cutover' and c.producer = c.reader)
      and case when p_job_id is null then r.event_id is null else r.reaction = 'paused' end
  ), reasons as (
    select p.*, case
      when p.mode = 'stale' then 'stale: the version of its data is not current'
      when p.unchanged then 'filtered: unchanged, the same fingerprint as before'
      when p.downstream = 'none' then 'filtered: the backfill starts nothing downstream'
      when p.downstream = 'same' and (p.strategy <> 'PerPartition' or p.partitions <> array[p.partition_key])
      then 'filtered: the backfill starts the same partitions only'
      when not p.passes then 'filtered: the event does not match the where of the input'
      when p.partitions is null then 'filtered: its partition does not map to partitions of the job'
      when p.mode = 'wait' then format('paused: version %s of the DAG is not current', p.version)
      when p.paused_at is not null then 'paused: the job is paused' || coalesce(', ' || p.pause_reason, '')
      when p.hold_reason is not null and p.mode = 'go' then 'paused: backpressure, ' || p.hold_reason
      when p.input_definition ->> 'trigger' = 'all_same_partition'
      then 'filtered: this partition is not committed yet in '
           || tenuto._missing_input(p_org_id, p.job_id, p.dag_version_id, p.partition_key) end as reason
    from pairs p
  )
  select distinct on (r.id, r.job_id)
         r.id, r.job_id, r.job_key, r.dag_version_id, r.mode = 'rebuild', coalesce(r.partitions, array['']),
         coalesce(split_part(r.reason, ': ', 1), 'triggered'), left(substr(r.reason, strpos(r.reason, ': ') + 2), 250)
  from reasons r
  order by r.id, r.job_id, r.reason is not null, r.reason like 'paused:%' desc, r.input;
$$;
