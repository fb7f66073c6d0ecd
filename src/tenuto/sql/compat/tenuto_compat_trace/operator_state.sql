-- Shows operator state of the jobs of current versions, as the table `operator_state` of Trace does. This is the state
-- that the tasks of these jobs read (_state_owner).
create or replace view tenuto_compat_trace.operator_state
  with (security_invoker = true)
as
select s.org_id, j.id as job_id, s.key as state_key, s.value as state, s.updated_at
from tenuto.dag_current_versions c
join tenuto.jobs j on j.org_id = c.org_id and j.dag_version_id = c.dag_version_id
left join lateral (
  select d.dataset_version_id
  from tenuto.dag_version_datasets d
  where d.org_id = j.org_id and d.dag_version_id = j.dag_version_id and d.job_key = j.job_key
  order by d.output
  limit 1
) v on true
join tenuto.operator_state s
  on s.org_id = j.org_id and s.job_key = j.job_key || '/' || coalesce(v.dataset_version_id::text, j.config_hash)
where s.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.operator_state
  for each row execute function tenuto_compat._refuse_write('use ctx.state or tenuto.put_state');
