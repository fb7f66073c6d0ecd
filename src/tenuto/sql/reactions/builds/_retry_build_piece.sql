-- Takes at most 200 tasks that belong to a build and ended without completing, and starts new tasks instead of them:
-- one per partition, or one per update. The event reactions that referred to the old tasks then refer to the new tasks.
-- If no such tasks are left, the phase of the build becomes `start`.
create or replace function tenuto._retry_build_piece(p_build tenuto.builds)
  returns void
  language plpgsql
as $$
declare
  v_job record;
  v_failed uuid[] := tenuto._take_failed_builds(p_build.dag_version_id, tenuto._build_piece());
begin
  if v_failed = '{}' then
    update tenuto.builds set phase = 'start', position = null, due_at = tenuto.now()
    where dag_version_id = p_build.dag_version_id;
    return;
  end if;
  for v_job in
    select (t.job).id, t.job, t.version, t.dag, array_agg(t.task_id order by t.task_id) as old_ids,
           array_agg(t.partition_key order by t.task_id) as keys, array_agg(t.event order by t.task_id) as events
    from (
      select distinct on (j.id, t.partition_key, u.event) j as job, v.version, d.name as dag, t.task_id,
             t.partition_key, k.input #> '{job,event}' as event
      from tenuto.job_tasks t
      join tenuto.jobs j on j.org_id = t.org_id and j.dag_version_id = p_build.dag_version_id and j.job_key = t.job_key
      join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id
      join tenuto.dags d on d.org_id = v.org_id and d.id = v.dag_id
      left join tenuto.tasks k on k.id = t.task_id
      cross join lateral (
        select case when j.definition ->> 'execution_strategy' = 'PerUpdate' then k.input #> '{job,event}' end as event
      ) u
      where t.task_id = any (v_failed)
      order by j.id, t.partition_key, u.event, t.task_id) t
    group by 1, 2, 3, 4
    order by 1
  loop
    perform tenuto._retry_build_tasks(p_build, v_job.dag, v_job.version, v_job.job, v_job.old_ids, v_job.keys,
      v_job.events);
  end loop;
  update tenuto.builds set due_at = tenuto.now() where dag_version_id = p_build.dag_version_id;
end
$$;
