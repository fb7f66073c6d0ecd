-- Shows resource groups as the table `resource_groups` of Spider does.
create or replace view tenuto_compat_spider.resource_groups
  with (security_invoker = true)
as
select g.id, g.external_id
from tenuto.resource_groups g
where g.org_id = (select tenuto_compat._org_id())
  and g.deleted_at is null;

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_spider.resource_groups
  for each row execute function tenuto_compat._refuse_write('call tenuto.set_resource_group or tenuto.delete_group');
