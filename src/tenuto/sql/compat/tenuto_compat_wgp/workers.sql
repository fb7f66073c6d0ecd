-- Shows workers as the table `workers` of Headless-WGP does. A worker that is starting or has failed is shown as
-- inactive; orchestrator_status in its metadata says which of the two. A draining worker is shown as active; the
-- orchestrator_status of a worker that is shown as active says whether it is terminating.
create or replace view tenuto_compat_wgp.workers
  with (security_invoker = true)
as
select
  w.id,
  w.instance_type,
  tenuto_compat_wgp._worker_status(w.status) as status,
  w.last_heartbeat,
  w.metadata || jsonb_build_object(
    'orchestrator_status',
    case w.status
      when 'starting' then 'spawning'
      when 'error' then 'error'
      when 'active' then coalesce(w.metadata ->> 'orchestrator_status', 'active')
      else 'terminating'
    end) as metadata,
  w.created_at
from tenuto.workers w
where w.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_wgp.workers
  for each row execute function tenuto_compat._refuse_write(
    'call func_update_worker_heartbeat, tenuto.expect_worker, tenuto.drain_worker or tenuto.terminate_worker');
