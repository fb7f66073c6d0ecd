-- Shows where data objects are, as the table `data_locality` of Spider does.
create or replace view tenuto_compat_spider.data_locality
  with (security_invoker = true)
as
select l.object_id as id, l.address
from tenuto.data_locality l
where l.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_spider.data_locality
  for each row execute function tenuto_compat._refuse_write('call tenuto.place_object');
