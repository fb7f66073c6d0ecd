-- Shows which version of each dataset a version of a DAG has, as the table `dag_version_datasets` of Trace does.
create or replace view tenuto_compat_trace.dag_version_datasets
  with (security_invoker = true)
as
select s.dag_version_id, s.dataset_id as dataset_uuid, s.dataset_version_id as dataset_version
from tenuto.dag_version_datasets s
where s.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.dag_version_datasets
  for each row execute function tenuto_compat._refuse_write('use tenuto deploy');
