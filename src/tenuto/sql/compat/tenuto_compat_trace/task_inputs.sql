-- Shows inputs of tasks of jobs as the table `task_inputs` of Trace does. input_version is the time at which the
-- version of the dataset was created.
create or replace view tenuto_compat_trace.task_inputs
  with (security_invoker = true)
as
select w.task_id, v.dataset_id as input_dataset_uuid, coalesce(i.input ->> 'partition', '') as input_partition_key,
       v.created_at as input_version
from tenuto.job_tasks w
cross join lateral jsonb_array_elements(w.input_versions) i(input)
join tenuto.dataset_versions v on v.org_id = w.org_id and v.id = (i.input ->> 'version_id')::uuid
where w.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.task_inputs
  for each row execute function tenuto_compat._refuse_write('the start of a task fixes its inputs');
