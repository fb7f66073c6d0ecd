-- Shows the references of runs to data objects as the table `job_to_data_ref` of Spider does.
create or replace view tenuto_compat_spider.job_to_data_ref
  with (security_invoker = true)
as
select r.object_id as id, r.holder_id as job_id
from tenuto.data_references r
where r.org_id = (select tenuto_compat._org_id())
  and r.holder = 'run';

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_spider.job_to_data_ref
  for each row execute function tenuto_compat._refuse_write('call tenuto.reference_object or tenuto.release_object');
