-- Shows the current versions of DAGs as the table `dag_current_versions` of Trace does.
create or replace view tenuto_compat_trace.dag_current_versions
  with (security_invoker = true)
as
select c.org_id, d.name as dag_name, c.dag_version_id, c.updated_at
from tenuto.dag_current_versions c
join tenuto.dags d on d.org_id = c.org_id and d.id = c.dag_id
where c.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.dag_current_versions
  for each row execute function tenuto_compat._refuse_write('use tenuto cutover or tenuto rollback');
