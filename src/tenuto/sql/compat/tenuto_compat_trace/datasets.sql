-- Shows datasets as the table `datasets` of Trace does, with the names of the roles that may read them. The producer is
-- the job in the current version, or else in the newest version that has it.
create or replace view tenuto_compat_trace.datasets
  with (security_invoker = true)
as
select
  s.id,
  s.org_id,
  s.name,
  d.name as producer_dag_name,
  p.name as producer_job_name,
  s.output as producer_output_index,
  coalesce(c.storage, '{}') as storage,
  array(
    select r.name
    from tenuto.org_roles r
    where r.org_id = s.org_id and r.id = any (s.read_roles)
    order by r.name) as read_roles,
  s.created_at,
  s.updated_at
from tenuto.datasets s
join tenuto.dags d on d.org_id = s.org_id and d.id = s.dag_id
left join tenuto.dataset_versions c on c.org_id = s.org_id and c.id = s.current_version_id
left join lateral (
  select j.name
  from tenuto.jobs j
  join tenuto.dag_versions v on v.org_id = j.org_id and v.id = j.dag_version_id
  where j.org_id = s.org_id and j.job_key = s.job_key
  order by v.status = 'current' desc, v.version desc
  limit 1
) p on true
where s.org_id = (select tenuto_compat._org_id())
  and s.deleted_at is null;

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.datasets
  for each row execute function tenuto_compat._refuse_write(
    'use tenuto deploy, tenuto datasets grant or tenuto datasets revoke');
