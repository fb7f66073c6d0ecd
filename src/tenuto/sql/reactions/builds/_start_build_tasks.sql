-- -> queued: starts the tasks of a build for the partitions p_keys of one input of a job. The job gets one task per
-- partition, or one per update, as it does when events start its tasks. With one task per partition, skips partitions
-- whose current output was already computed from the data that is now committed in the inputs. If a task of a partition
-- is queued already for the same definition of the job, the build waits for that task.
create or replace function tenuto._start_build_tasks(p_input tenuto.build_inputs, p_keys text[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_job tenuto.jobs;
  v_version record;
  v_keys text[];
  v_started tenuto.started[];
  v_ids uuid[];
  v_new text[];
  v_events jsonb[];
begin
  select j.* into v_job from tenuto.jobs j where j.org_id = p_input.org_id and j.id = p_input.job_id;
  select d.name as dag, v.version into v_version
  from tenuto.dag_versions v
  join tenuto.dags d on d.org_id = v.org_id and d.id = v.dag_id
  where v.org_id = p_input.org_id and v.id = p_input.dag_version_id;

  if v_job.definition ->> 'execution_strategy' = 'PerUpdate' then
    select array_agg(tenuto._uuid7()), array_agg(b.partition order by b.key, b.partition),
           array_agg(jsonb_build_object('id', c.partition_version_id, 'dataset', d.name, 'partition', nullif(b.key, ''),
             'data', null) order by b.key, b.partition)
    into v_ids, v_new, v_events
    from tenuto._build_partitions(p_input, p_keys) b
    join tenuto.current_partitions c
      on c.org_id = p_input.org_id and c.dataset_version_id = p_input.dataset_version_id and c.partition_key = b.key
    join tenuto.dataset_versions v on v.org_id = c.org_id and v.id = c.dataset_version_id
    join tenuto.datasets d on d.org_id = v.org_id and d.id = v.dataset_id;
  else
    v_keys := tenuto._uncomputed_partitions(v_job,
      array(select distinct b.partition from tenuto._build_partitions(p_input, p_keys) b order by 1));
    v_started := tenuto._queue_partitions(p_input.org_id, v_job, v_keys);
    select array_agg(s.run_id order by s.no) filter (where s.created),
           array_agg(v_keys[s.no] order by s.no) filter (where s.created)
    into v_ids, v_new
    from unnest(v_started) s;
    perform tenuto._join_build(p_input.org_id, p_input.dag_version_id,
      array(select s.run_id from unnest(v_started) s where not s.created));
  end if;
  if v_ids is not null then
    perform tenuto._start_job_tasks(p_input.org_id, v_version.dag, v_version.version, v_job, v_ids, v_new, true,
      v_events);
  end if;
end
$$;
