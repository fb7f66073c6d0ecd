-- Starts the tasks of one job for its events and writes the reactions: triggered, or deduped if a queued task takes
-- over the event. The inputs of such a queued task are fixed again, so that it reads what is committed now. A job that
-- runs for every update gets one task per event and partition; other jobs get one task per partition. If the events
-- belong to a build, the build also waits for the queued tasks that took over an event. Returns how many reactions are
-- new.
create or replace function tenuto._start_reactions(p_org_id uuid, p_decisions tenuto.event_decision[], p_again boolean)
  returns int
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_job tenuto.jobs;
  v_version record;
  v_partitions text[];
  v_started tenuto.started[];
  v_starts tenuto.event_start[];
  v_written uuid[];
begin
  select j.* into v_job from tenuto.jobs j where j.org_id = p_org_id and j.id = p_decisions[1].job_id;
  select v.version, g.name as dag into v_version
  from tenuto.dag_versions v
  join tenuto.dags g on g.org_id = v.org_id and g.id = v.dag_id
  where v.org_id = p_org_id and v.id = v_job.dag_version_id;

  if v_job.definition ->> 'execution_strategy' = 'PerPartition' then
    v_partitions := array(select distinct unnest(d.partitions) from unnest(p_decisions) d order by 1);
    v_started := tenuto._queue_partitions(p_org_id, v_job, v_partitions);
    v_starts := array(
      select (d.event_id, u.partition, s.run_id,
              s.created and 1 = row_number() over (partition by u.partition order by d.event_id))::tenuto.event_start
      from unnest(p_decisions) d
      cross join lateral unnest(d.partitions) u(partition)
      join unnest(v_started) s on v_partitions[s.no] = u.partition
      order by d.event_id, u.partition);
  else
    v_starts := array(
      select (d.event_id, u.partition, tenuto._uuid7(), true)::tenuto.event_start
      from unnest(p_decisions) d
      cross join lateral unnest(d.partitions) u(partition)
      order by d.event_id, u.partition);
  end if;

  v_written := tenuto._write_reactions(array(
    select distinct on (s.event_id)
           (s.event_id, v_job.id, p_org_id, v_job.job_key, v_job.dag_version_id, s.partition,
            case when s.is_first then 'triggered' else 'deduped' end, null, s.task_id, null)::tenuto.event_reactions
    from unnest(v_starts) s
    order by s.event_id, s.is_first desc, s.partition), p_again);
  perform tenuto._follow_repairs(v_job, v_starts);
  if p_decisions[1].rebuild then
    perform tenuto._join_build(p_org_id, v_job.dag_version_id,
      array(select distinct s.task_id from unnest(v_starts) s
            where s.task_id in (select t.run_id from unnest(v_started) t where not t.created)));
  end if;

  perform tenuto._start_job_tasks(p_org_id, v_version.dag, v_version.version, v_job, array_agg(s.task_id order by s.no),
    array_agg(s.partition order by s.no), p_decisions[1].rebuild, array_agg(s.event order by s.no))
  from (
    select s.task_id, s.partition, row_number() over (order by s.task_id) as no,
           jsonb_build_object('id', e.id, 'dataset', d.name, 'partition', nullif(e.partition_key, ''),
             'data', e.data) as event
    from unnest(v_starts) s
    join tenuto.events e on e.id = s.event_id
    left join tenuto.datasets d on d.org_id = e.org_id and d.id = e.dataset_id
    where s.is_first and s.event_id = any (v_written)) s
  having count(*) > 0;
  return cardinality(v_written);
end
$$;
