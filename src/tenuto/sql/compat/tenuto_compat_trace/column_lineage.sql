-- Shows column lineage of the current versions of datasets as the table `column_lineage` of Trace does.
create or replace view tenuto_compat_trace.column_lineage
  with (security_invoker = true)
as
select distinct d.id as output_dataset_uuid, l.column_name as output_column, l.input_dataset_id as input_dataset_uuid,
       l.input_column, j.id as job_id
from tenuto.datasets d
join tenuto.column_lineage l on l.org_id = d.org_id and l.dataset_version_id = d.current_version_id
left join tenuto.dag_current_versions c on c.org_id = d.org_id and c.dag_id = d.dag_id
left join tenuto.jobs j on j.org_id = d.org_id and j.dag_version_id = c.dag_version_id and j.job_key = d.job_key
where d.org_id = (select tenuto_compat._org_id())
  and l.column_name <> ''
  and l.input_column <> '';

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.column_lineage
  for each row execute function tenuto_compat._refuse_write('declare it in the DAG, or call ctx.lineage in the task');
