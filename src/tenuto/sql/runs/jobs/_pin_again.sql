-- Pins queued tasks of a job again, so that they read the data that is committed now. Returns these tasks. Tasks that
-- have ever started are left out. A task that is claimed at the same time is left out too: it reads the data to which
-- it was pinned before.
create or replace function tenuto._pin_again(p_org_id uuid, p_job tenuto.jobs, p_task_ids uuid[])
  returns uuid[]
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
declare
  v_ids uuid[];
begin
  with ready as materialized (
    select r.id
    from tenuto.ready_tasks r
    where r.id = any (p_task_ids) and r.org_id = p_org_id and r.attempt = 0
    for update skip locked
  ), limited as materialized (
    select w.id
    from tenuto.waiting_tasks w
    where w.id = any (p_task_ids) and w.org_id = p_org_id and w.attempt = 0 and w.waits_for = 'limit'
    for update skip locked
  )
  select coalesce(array_agg(q.id), '{}') into v_ids
  from (select id from ready union all select id from limited) q;
  if v_ids = '{}' then
    return v_ids;
  end if;

  with pins as materialized (
    select j.task_id, tenuto._pin_inputs(p_org_id, p_job.id, p_job.dag_version_id, j.partition_key) as inputs
    from tenuto.job_tasks j
    where j.task_id = any (v_ids)
  ), described as (
    update tenuto.tasks t
    set input = jsonb_set(jsonb_set(t.input, '{job,inputs}', p.inputs), '{job,pinned}', to_jsonb(tenuto._uuid7()))
    from pins p
    where t.id = p.task_id
  )
  update tenuto.job_tasks j
  set input_versions = i.versions
  from pins p
  cross join lateral tenuto._input_versions(p.inputs) i
  where j.task_id = p.task_id;
  return v_ids;
end
$$;
