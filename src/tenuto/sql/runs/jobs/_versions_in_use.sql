-- Returns the dataset versions among p_version_ids that an unfinished task of a job reads or writes.
create or replace function tenuto._versions_in_use(p_org_id uuid, p_version_ids uuid[])
  returns setof uuid
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  with open_tasks as (
    select o.id from tenuto._open_tasks_of_jobs(p_org_id) o(id)
  )
  select (i.value ->> 'version_id')::uuid
  from open_tasks t
  join tenuto.job_tasks j on j.task_id = t.id
  cross join lateral jsonb_array_elements(j.input_versions) i
  where (i.value ->> 'version_id')::uuid = any (p_version_ids)
  union
  select s.dataset_version_id
  from open_tasks t
  join tenuto.job_tasks j on j.task_id = t.id
  join tenuto.dag_version_datasets s
    on s.org_id = p_org_id and s.dag_version_id = j.dag_version_id and s.job_key = j.job_key
  where s.dataset_version_id = any (p_version_ids)
$$;
