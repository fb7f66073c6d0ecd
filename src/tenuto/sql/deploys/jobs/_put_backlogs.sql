-- Makes dispatchers watch the backlogs of the jobs for which a version of a DAG sets bounds. Part of the cutover or
-- rollback to this version. If a job had bounds and this version sets none for it, the row of the job stays until a
-- dispatcher has released the jobs that are held because of the job's backlog.
create or replace function tenuto._put_backlogs(p_org_id uuid, p_dag_id uuid, p_version_id uuid)
  returns void
  language sql
as $$
  insert into tenuto.job_backlogs as b (org_id, job_key, max_depth, max_age_seconds, due_at)
  select p_org_id, c.job_key, (j.definition #>> '{scaling,max_queue_depth}')::int,
         (j.definition #>> '{scaling,max_queue_age}')::int, tenuto.now()
  from tenuto.job_controls c
  left join tenuto.jobs j on j.org_id = c.org_id and j.dag_version_id = p_version_id and j.job_key = c.job_key
  where c.org_id = p_org_id and c.dag_id = p_dag_id
    and (j.definition -> 'scaling' ?| array['max_queue_depth', 'max_queue_age']
         or exists (select from tenuto.job_backlogs o where o.org_id = c.org_id and o.job_key = c.job_key))
  on conflict (org_id, job_key) do update
    set max_depth = excluded.max_depth, max_age_seconds = excluded.max_age_seconds, due_at = excluded.due_at;
$$;
