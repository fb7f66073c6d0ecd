-- Shows workers with their health as the view `active_workers_health` of Headless-WGP does. Its word for a dead worker
-- is STALE_HEARTBEAT.
create or replace view tenuto_compat_wgp.active_workers_health
  with (security_invoker = true)
as
select
  h.id,
  h.instance_type,
  tenuto_compat_wgp._worker_status(h.status) as status,
  h.created_at,
  h.last_heartbeat,
  h.heartbeat_age_seconds,
  h.vram_total_mb,
  h.vram_used_mb,
  h.vram_usage_percent,
  h.current_task_id,
  case when h.current_task_id is not null
       then tenuto_compat_wgp._task_status(h.current_task_status)
  end as current_task_status,
  h.current_task_type,
  h.task_runtime_seconds,
  case h.health_status when 'dead' then 'STALE_HEARTBEAT' else upper(h.health_status) end as health_status
from tenuto.active_workers_health h
where h.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_wgp.active_workers_health
  for each row execute function tenuto_compat._refuse_write('the view shows counts and times');
