-- -> queued: starts a task of a job of the current version of its DAG, or one task for each partition key. The inputs
-- of the task are fixed by this call. The data that the task publishes belongs to this version, even if another version
-- is current when the task completes. With a dedupe key, each partition is started once for this job and key: later
-- calls return the first task and created = false. If the job replaces its data, a partition that was computed from the
-- same inputs before is reused: its task is completed at once. Raises TN004 if the job is paused or a sink, and TN003
-- for a partition key that the job cannot have. With p_force, tasks are started even if the job is paused, and nothing
-- is reused. A caller with the role of clients reuses nothing either, because this role can only start tasks. A reuse
-- would commit data, and other commits of data would then wait for the end of the client's transaction.
create or replace function tenuto.trigger_job(
  p_org_id uuid, p_dag text, p_name text, p_partitions text[] default null, p_force boolean default false,
  p_dedupe_key text default null)
  returns table (task_id uuid, partition text, created boolean, reused boolean)
  language plpgsql
  set jit = off
as $$
declare
  v_found record := tenuto._find_current_job(p_org_id, p_dag, p_name, p_force);
  v_job tenuto.jobs := v_found.job;
  v_partitions text[] := tenuto._check_job_partitions(v_job, p_partitions);
  v_started tenuto.started[];
  v_new text[];
  v_ids uuid[];
  v_reused uuid[] := '{}';
begin
  perform tenuto._require_read_committed();
  if v_job.definition #>> '{source,kind}' = 'buffer' then
    perform tenuto._raise('TN004', format('job %s of %s is a sink, which runs no tasks', p_name, p_dag),
      'trigger the jobs that append to it');
  end if;
  perform tenuto._check_name('the dedupe key', p_dedupe_key, 512);
  v_started := tenuto._dedupe_job(p_org_id, v_job.job_key, p_dedupe_key, v_partitions);
  select array_agg(s.run_id order by s.no), array_agg(v_partitions[s.no] order by s.no)
  into v_ids, v_new
  from unnest(v_started) s
  where s.created;

  if v_ids is not null then
    v_reused := tenuto._start_job_tasks(p_org_id, p_dag, v_found.version, v_job, v_ids, v_new, false,
      p_memo => not p_force and has_table_privilege('tenuto.current_partitions', 'insert'));
    perform tenuto._audit(p_org_id, 'job', p_dag || '/' || p_name, 'trigger',
      jsonb_build_object('tasks', cardinality(v_ids), 'first_ids', v_ids[1:10],
        'partitions', nullif(v_new[1:10], array[''])));
  end if;
  return query
  select s.run_id, nullif(v_partitions[s.no], ''), s.created, s.run_id = any (v_reused)
  from unnest(v_started) s
  order by s.no;
end
$$;
