-- Shows workers as the table `workers` of Spider does, with UUIDs made from their ids.
create or replace view tenuto_compat_spider.workers
  with (security_invoker = true)
as
select tenuto_compat_spider._worker_id(w.id) as id, coalesce(w.last_heartbeat, w.created_at) as heartbeat
from tenuto.workers w
where w.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_spider.workers
  for each row execute function tenuto_compat._refuse_write('call tenuto.register_worker or tenuto.beat_worker');
