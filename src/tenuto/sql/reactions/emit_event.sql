-- Emits an event of an output from the running task of a job. The jobs that read this output react at once, not only
-- when the task ends. p_output: the dataset, the name of the output or its position. With p_key, a job emits only one
-- event with this key: a later call with the same key, from any task of the job, gets the id of the first event. Raises
-- TN010 if the number of events of the output that are not handled yet has reached max_inflight of the source. Fenced:
-- a worker that lost the task cannot emit.
create or replace function tenuto.emit_event(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_output text, p_data jsonb default null,
  p_partition text default null, p_key text default null)
  returns uuid
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks := tenuto._lock_attempt(p_session_id, p_token, p_task_id, p_attempt);
  v_job tenuto.job_tasks;
  v_output jsonb;
  v_id uuid := tenuto._uuid7();
begin
  select j.* into v_job
  from tenuto.job_tasks j
  where j.task_id = p_task_id and tenuto._is_job_task(v_running.flags);
  select o.value into v_output
  from tenuto.tasks t
  cross join lateral jsonb_array_elements(t.input #> '{job,outputs}') o
  where t.id = p_task_id and v_job.task_id is not null
    and p_output in (o.value ->> 'dataset', o.value ->> 'name', o.value ->> 'no')
  order by p_output = o.value ->> 'dataset' desc nulls last, p_output = o.value ->> 'name' desc nulls last
  limit 1;
  if v_job.task_id is null then
    perform tenuto._raise('TN004', format('task %s does not belong to a job, so it has no outputs', p_task_id));
  elsif v_output is null then
    perform tenuto._raise('TN003', format('task %s has no output %L', p_task_id, left(p_output, 128)),
      'a job emits events of its own outputs, by dataset or name');
  elsif v_output -> 'appends' = 'true' then
    perform tenuto._raise('TN003', format('output %L appends to a sink, which emits the events', left(p_output, 128)));
  elsif jsonb_typeof(p_data) <> 'object' or pg_column_size(p_data) > 65536 then
    perform tenuto._raise('TN003', 'the data of an event is not an object of up to 64 KB',
      'write large data with ctx.write');
  end if;
  perform tenuto._check_partitions(case when p_partition is not null then array[p_partition] end);
  perform tenuto._check_name('the key of an event', p_key, 256);
  if p_key is null or tenuto._emitted_event(v_running.org_id, v_job.job_key || ':' || p_key) is null then
    perform tenuto._check_inflight(v_job, v_output);
  end if;

  perform tenuto._publish(v_running.org_id, 'route_event', array[jsonb_build_object(
    'emitted', jsonb_build_array(v_id), 'dag_version_id', v_job.dag_version_id)],
    p_keys => array[v_job.job_key || ':' || p_key]);
  if p_key is not null then
    v_id := tenuto._emitted_event(v_running.org_id, v_job.job_key || ':' || p_key);
  end if;
  insert into tenuto.events (id, org_id, job_key, output, dag_version_id, dataset_id, dataset_version_id, partition_key,
    task_id, data, created_at)
  values (v_id, v_running.org_id, v_job.job_key, (v_output ->> 'no')::int, v_job.dag_version_id,
          (v_output ->> 'dataset_id')::uuid, (v_output ->> 'version_id')::uuid, coalesce(p_partition, ''), p_task_id,
          nullif(p_data, 'null'), tenuto.now())
  on conflict (id) do nothing;
  return v_id;
end
$$;
