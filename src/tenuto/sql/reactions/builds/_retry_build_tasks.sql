-- -> queued: starts new tasks of one job of a build, each for the partition and event of a task that ended without
-- completing. If a task for the partition is queued already, the build waits for that task instead. The reactions that
-- refer to the old tasks then refer to the new ones. Searches only reactions to the event that started the old task and
-- to newer events, because a task never takes over an older event.
create or replace function tenuto._retry_build_tasks(
  p_build tenuto.builds, p_dag text, p_version int, p_job tenuto.jobs, p_old_ids uuid[], p_keys text[],
  p_events jsonb[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_per_update boolean := coalesce(p_job.definition ->> 'execution_strategy' = 'PerUpdate', false);
  v_started tenuto.started[];
begin
  if p_job.definition ->> 'execution_strategy' = 'PerPartition' then
    v_started := tenuto._queue_partitions(p_build.org_id, p_job, p_keys);
    perform tenuto._join_build(p_build.org_id, p_build.dag_version_id,
      array(select s.run_id from unnest(v_started) s where not s.created));
  else
    v_started := array(
      select (u.no, u.id, true)::tenuto.started
      from unnest(array(select tenuto._uuid7() from generate_series(1, cardinality(p_keys)) order by 1))
        with ordinality u(id, no)
      order by u.no);
  end if;

  perform tenuto._start_job_tasks(p_build.org_id, p_dag, p_version, p_job, array_agg(s.run_id order by s.no),
    array_agg(p_keys[s.no] order by s.no), true,
    case when v_per_update then array_agg(p_events[s.no] order by s.no) end)
  from unnest(v_started) s
  where s.created
  having count(*) > 0;
  update tenuto.event_reactions r
  set task_id = s.run_id
  from unnest(v_started) s
  where r.org_id = p_build.org_id and r.job_key = p_job.job_key and r.job_id = p_job.id
    and r.event_id >= (p_events[s.no] ->> 'id')::uuid
    and r.task_id = p_old_ids[s.no];
end
$$;
