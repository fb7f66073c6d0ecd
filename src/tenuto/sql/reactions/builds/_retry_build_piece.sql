-- Starts one piece of the tasks of a build again that ended without completing: one per partition, or one per update.
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
    select (t.job).id, t.job, t.version, t.dag, array_agg(t.partition_key order by t.task_id) as keys,
           array_agg(t.event order by t.task_id) as events
    from (
      select distinct on (j.id, t.partition_key, u.event) j as job, v.version, d.name as dag, t.task_id,
             t.partition_key, u.event
      from tenuto.job_tasks t
      join tenuto.jobs j on j.org_id = t.org_id and j.dag_version_id = p_build.dag_version_id and j.job_key = t.job_key
      join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id
      join tenuto.dags d on d.org_id = v.org_id and d.id = v.dag_id
      left join lateral (
        select k.input #> '{job,event}' as event
        from tenuto.tasks k
        where k.id = t.task_id and j.definition ->> 'execution_strategy' = 'PerUpdate') u on true
      where t.task_id = any (v_failed)) t
    group by 1, 2, 3, 4
    order by 1
  loop
    perform tenuto._start_job_tasks(p_build.org_id, v_job.dag, v_job.version, v_job.job,
      array(select tenuto._uuid7() from generate_series(1, cardinality(v_job.keys)) order by 1), v_job.keys, true,
      v_job.events);
  end loop;
  update tenuto.builds set due_at = tenuto.now() where dag_version_id = p_build.dag_version_id;
end
$$;
