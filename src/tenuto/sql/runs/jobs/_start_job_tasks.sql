-- -> queued: starts one single-task run per partition of a job, with the options of its definition, and wakes workers.
-- The input of the task is {"job": {…}}, with everything that its code needs, so that a claim is the same as for other
-- tasks. This description is not stored in the metadata of the task, because every value of the metadata is indexed.
-- p_events: for each task, the event that started it, or null. A job that runs for every update reads exactly the
-- commit of its event. p_sources: for each task of a source, what started it. p_rebuild: the tasks belong to the build
-- of the version. With p_memo, if the job has inputs and replaces its data, a partition that was computed from the same
-- inputs before is not computed again: its task is completed at once with the same data. Returns the tasks completed in
-- this way.
create or replace function tenuto._start_job_tasks(
  p_org_id uuid, p_dag text, p_version int, p_job tenuto.jobs, p_ids uuid[], p_partitions text[], p_rebuild boolean,
  p_events jsonb[] default null, p_sources jsonb[] default null, p_memo boolean default true)
  returns uuid[]
  language plpgsql
  set jit = off
as $$
declare
  v_definition jsonb := p_job.definition;
  v_group int := tenuto._group_no(p_org_id, null);
  v_operator text := split_part(p_job.operator, '@', 1);
  v_size int := coalesce(
    (select o.size from tenuto.limit_overrides o
     where o.org_id = p_org_id and o.scope = 'key' and o.key = 'job:' || p_job.job_key),
    (v_definition #>> '{scaling,max_concurrency}')::int);
  v_kinds tenuto.task_spec[];
  v_udf jsonb := tenuto._describe_udf(p_org_id, p_job.definition);
  v_outputs jsonb := tenuto._list_outputs(p_org_id, p_job.dag_version_id, p_job.job_key, v_definition);
  v_pins jsonb[] := array(
    select tenuto._pin_inputs(p_org_id, p_job.id, p_job.dag_version_id, p.key,
             case when v_definition ->> 'execution_strategy' = 'PerUpdate' then (p.event ->> 'id')::uuid end)
    from unnest(p_partitions, p_events) with ordinality p(key, event, no)
    order by p.no);
  v_pinned uuid := tenuto._uuid7();
  v_inputs jsonb[];
  v_ids uuid[] := p_ids;
  v_reused uuid[] := '{}';
begin
  v_kinds := tenuto._read_kinds(p_org_id, jsonb_build_array(jsonb_strip_nulls(jsonb_build_object(
    'type', tenuto._job_type(p_job.operator, v_definition -> 'config'),
    'queue', case when p_job.runtime = 'dispatcher' then 'tenuto.dispatcher' else v_definition ->> 'queue' end,
    'labels', case when p_job.runtime <> 'dispatcher' then v_definition -> 'labels' end,
    'max_attempts', v_definition -> 'max_attempts',
    'timeout_seconds', v_definition -> 'timeout_seconds',
    'heartbeat_timeout_seconds', v_definition -> 'heartbeat_timeout_seconds',
    'backoff_seconds', 30))), true);
  v_inputs := array(
    select jsonb_build_object('job', jsonb_build_object(
             'dag', p_dag, 'version', p_version, 'job', p_job.name, 'job_key', p_job.job_key, 'operator', v_operator,
             'runtime', p_job.runtime, 'config', v_definition -> 'config', 'secrets', v_definition -> 'secrets',
             'udf', v_udf, 'partition', nullif(p.key, ''), 'event', p.event,
             'pinned', v_pinned, 'source', p.source, 'inputs', p.pins, 'outputs', v_outputs))
    from unnest(p_partitions, v_pins, p_events, p_sources) with ordinality p(key, pins, event, source, no)
    order by p.no);
  perform tenuto._check_size(format('the description of job %s', p_job.name), i) from unnest(v_inputs) i;

  insert into tenuto.runs (id, org_id, group_no, single_task, name, created_at)
  select id, p_org_id, v_group, true, p_dag || '/' || p_job.name, tenuto.now() from unnest(p_ids) id;
  insert into tenuto.job_tasks
    (task_id, org_id, job_key, dag_version_id, config_hash, partition_key, input_versions, rebuild)
  select p.id, p_org_id, p_job.job_key, p_job.dag_version_id, p_job.config_hash, p.key,
         i.versions, p_rebuild
  from unnest(p_ids, p_partitions, v_pins) as p(id, key, pins)
  cross join lateral tenuto._input_versions(p.pins) i;
  if p_rebuild then
    insert into tenuto.build_tasks (dag_version_id, task_id, org_id)
    select p_job.dag_version_id, id, p_org_id from unnest(p_ids) id;
  end if;

  if p_memo and v_definition ->> 'update_strategy' = 'replace' and v_pins[1] <> '[]'
     and v_outputs @? '$[*].version_id ? (@ != null)' then
    v_reused := tenuto._reuse_outputs(p_job, v_group, v_kinds[1], p_ids, v_inputs);
    select array_agg(t.id order by t.no), array_agg(t.input order by t.no) into v_ids, v_inputs
    from unnest(p_ids, v_inputs) with ordinality as t(id, input, no)
    where t.id <> all (v_reused);
  end if;
  if v_ids is not null then
    perform tenuto._make_ready(tenuto._add_tasks(p_org_id, null, 1, null, v_group, v_kinds, v_ids, v_inputs, null,
      (select jsonb_agg(jsonb_strip_nulls(jsonb_build_object('task', n, 'job', true, 'limits',
         case when v_size is not null then jsonb_build_array(jsonb_build_object(
           'scope', 'key', 'key', 'job:' || p_job.job_key, 'size', v_size)) end)))
       from generate_series(0, cardinality(v_ids) - 1) n),
      null));
    perform tenuto._wake(k.queue) from unnest(v_kinds) k;
  end if;
  return v_reused;
end
$$;
