-- Shows versions of DAGs as the table `dag_versions` of Trace does.
create or replace view tenuto_compat_trace.dag_versions
  with (security_invoker = true)
as
select v.id, v.org_id, d.name as dag_name, v.yaml_hash, v.created_at
from tenuto.dag_versions v
join tenuto.dags d on d.org_id = v.org_id and d.id = v.dag_id and d.deleted_at is null
where v.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.dag_versions
  for each row execute function tenuto_compat._refuse_write('use tenuto deploy');
