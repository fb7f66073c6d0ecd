-- Shows versions of datasets as the table `dataset_versions` of Trace does.
create or replace view tenuto_compat_trace.dataset_versions
  with (security_invoker = true)
as
select v.id, v.dataset_id as dataset_uuid, v.created_at, v.storage_location, v.config_hash, v.schema_hash,
       v.range_start, v.range_end
from tenuto.dataset_versions v
where v.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_trace.dataset_versions
  for each row execute function tenuto_compat._refuse_write('use tenuto deploy or tenuto datasets purge');
