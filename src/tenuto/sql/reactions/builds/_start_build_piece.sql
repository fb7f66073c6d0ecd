-- Starts the next tasks of a build, for a bounded number of partitions of one input of a job. If the job is paused,
-- starts no tasks, and the build is due again after 5 seconds. If no input is left, the phase of the build becomes
-- `follow`. The tasks and the position are committed together, so that a build that was interrupted continues after the
-- last partition whose tasks were started.
create or replace function tenuto._start_build_piece(p_build tenuto.builds)
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_input tenuto.build_inputs;
  v_keys text[];
  v_count int;
  v_paused text;
begin
  select i.* into v_input
  from tenuto.build_inputs i
  where i.dag_version_id = p_build.dag_version_id
  order by i.job_id, i.input
  limit 1;
  if not found then
    update tenuto.builds set phase = 'follow', position = null, due_at = tenuto.now()
    where dag_version_id = p_build.dag_version_id;
    return;
  end if;

  select format('job %s is paused', j.name) into v_paused
  from tenuto.jobs j
  join tenuto.job_controls k on k.org_id = j.org_id and k.job_key = j.job_key
  where j.org_id = v_input.org_id and j.id = v_input.job_id and k.paused_at is not null;
  if found then
    update tenuto.builds set error = v_paused, due_at = tenuto.now() + interval '5 seconds'
    where dag_version_id = p_build.dag_version_id;
    return;
  end if;

  v_keys := array(
    select c.partition_key
    from tenuto.current_partitions c
    where c.org_id = v_input.org_id and c.dataset_version_id = v_input.dataset_version_id
      and (v_input.after_partition is null or c.partition_key > v_input.after_partition)
    order by c.partition_key
    limit tenuto._build_piece());
  v_count := cardinality(v_keys);
  if v_count > 0 then
    v_keys := v_keys[1:tenuto._fitting_partitions(v_input, v_keys, 1000)];
    perform tenuto._start_build_tasks(v_input, v_keys);
  end if;
  if v_count < tenuto._build_piece() and cardinality(v_keys) = v_count then
    delete from tenuto.build_inputs
    where dag_version_id = v_input.dag_version_id and job_id = v_input.job_id and input = v_input.input;
  else
    update tenuto.build_inputs
    set after_partition = v_keys[cardinality(v_keys)]
    where dag_version_id = v_input.dag_version_id and job_id = v_input.job_id and input = v_input.input;
  end if;
  update tenuto.builds set due_at = tenuto.now(), error = null where dag_version_id = p_build.dag_version_id;
end
$$;
