-- Shows dispatchers as the table `schedulers` of Spider does. They serve all orgs.
create or replace view tenuto_compat_spider.schedulers
  with (security_invoker = true)
as
select d.id, d.address, d.port, d.heartbeat
from tenuto.dispatchers d;

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_spider.schedulers
  for each row execute function tenuto_compat._refuse_write('run tenuto dispatcher');
