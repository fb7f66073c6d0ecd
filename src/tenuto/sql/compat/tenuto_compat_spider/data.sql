-- Shows data objects as the table `data` of Spider does. The payload of a large object is the address of its bytes.
create or replace view tenuto_compat_spider.data
  with (security_invoker = true)
as
select o.id, coalesce(o.payload, convert_to(o.uri, 'UTF8')) as payload
from tenuto.data_objects o
where o.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_spider.data
  for each row execute function tenuto_compat._refuse_write('call tenuto.put_object or tenuto.delete_object');
