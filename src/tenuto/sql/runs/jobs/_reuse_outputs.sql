-- -> completed: completes new tasks of a job without running the code, if their partitions were computed from the same
-- inputs before. The publications of the earlier task are committed again for the new task. A task whose event has data
-- of its own is left out, because the code may read that data. Returns the completed tasks. The caller has already
-- added the tasks to job_tasks. p_inputs are the inputs of the tasks.
create or replace function tenuto._reuse_outputs(
  p_job tenuto.jobs, p_group_no int, p_kind tenuto.task_spec, p_task_ids uuid[], p_inputs jsonb[])
  returns uuid[]
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_tasks tenuto.task_outputs[] := array(
    select (j.org_id, j.dag_version_id, j.job_key, j.task_id, 0, j.input_versions, null::jsonb,
            case when coalesce(i.input #> '{job,event,data}', 'null') = 'null'
                 then tenuto._memo(j.job_key, j.config_hash, j.partition_key, j.input_versions)
                 end)::tenuto.task_outputs
    from unnest(p_task_ids, p_inputs) with ordinality i(id, input, no)
    join tenuto.job_tasks j on j.task_id = i.id
    order by i.no);
  v_reused tenuto.task_outputs[];
  v_sources uuid[];
begin
  select array_agg((t.org_id, t.dag_version_id, t.job_key, t.task_id, t.attempt, t.inputs, m.published,
                    t.memo)::tenuto.task_outputs order by m.no),
         array_agg(m.task_id order by m.no)
  into v_reused, v_sources
  from tenuto._find_memos(p_job.org_id, p_job.dag_version_id, p_job.job_key,
    array(select t.memo from unnest(v_tasks) with ordinality t order by t.ordinality)) m
  cross join lateral (select (v_tasks[m.no]).*) t;
  if v_reused is null then
    return '{}';
  end if;

  insert into tenuto.tasks (id, org_id, run_id, created_at, route_id, group_no, priority, place, backoff_seconds,
    timeout_seconds, heartbeat_timeout_seconds, max_attempts, max_losses, run_attempt, optional, has_slots, input)
  select t.id, p_job.org_id, t.id, tenuto.now(), p_kind.route_id, p_group_no, p_kind.priority, 0,
         p_kind.backoff_seconds, p_kind.timeout_seconds, p_kind.heartbeat_timeout_seconds, p_kind.max_attempts,
         p_kind.max_losses, 1, p_kind.optional, false, t.input
  from unnest(p_task_ids, p_inputs) as t(id, input)
  where t.id in (select r.task_id from unnest(v_reused) r);
  insert into tenuto.task_attempts (task_id, org_id, queued_at, ended_at, end_no, attempt, outcome, reported, output)
  select r.task_id, r.org_id, tenuto.now(), tenuto.now(), 0, 0, 'completed', false,
         jsonb_build_object('reused', s.task_id)
  from unnest(v_sources) with ordinality as s(task_id, no)
  cross join lateral (select (v_reused[s.no]).*) r;
  perform tenuto._commit_outputs(v_reused);
  perform tenuto._emit_ends(array_agg(r.task_id), array_agg(0)) from unnest(v_reused) r;
  return array(select r.task_id from unnest(v_reused) r);
end
$$;
