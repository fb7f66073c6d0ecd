-- Lists the workers that are not terminated with their health: healthy, stuck_task, stale_heartbeat, no_heartbeat
-- or dead. current_task_id is the oldest task that the worker runs. The figures about its machine are from its last
-- heartbeat.
create or replace view tenuto.active_workers_health
  with (security_invoker = true)
as
select
  (h.worker).org_id, (h.worker).id, (h.worker).instance_type, (h.worker).status, (h.worker).created_at,
  (h.worker).last_heartbeat,
  extract(epoch from tenuto.now() - (h.worker).last_heartbeat)::float8 as heartbeat_age_seconds,
  tenuto._metric((h.worker).metadata, 'vram_total_mb') as vram_total_mb,
  tenuto._metric((h.worker).metadata, 'vram_used_mb') as vram_used_mb,
  round((100 * tenuto._metric((h.worker).metadata, 'vram_used_mb')
         / nullif(tenuto._metric((h.worker).metadata, 'vram_total_mb'), 0))::numeric, 1)::float8 as vram_usage_percent,
  h.current_task_id, case when h.current_task_id is not null then 'running' end as current_task_status,
  h.current_task_type,
  extract(epoch from tenuto.now() - h.current_task_started_at)::float8 as task_runtime_seconds,
  h.health_status, h.running_tasks, h.stuck_tasks,
  tenuto._metric((h.worker).metadata, 'vram_timestamp') as vram_timestamp,
  tenuto._metric((h.worker).metadata, 'cpu_percent') as cpu_percent,
  tenuto._metric((h.worker).metadata, 'memory_total_mb') as memory_total_mb,
  tenuto._metric((h.worker).metadata, 'memory_used_mb') as memory_used_mb,
  tenuto._metric((h.worker).metadata, 'disk_total_mb') as disk_total_mb,
  tenuto._metric((h.worker).metadata, 'disk_used_mb') as disk_used_mb,
  tenuto._metric((h.worker).metadata, 'gpu_percent') as gpu_percent,
  (h.worker).address, (h.worker).labels, (h.worker).metadata ->> 'pool' as pool, (h.worker).error,
  (h.worker).error_at, (h.worker).drained_at
from tenuto.orgs o
cross join lateral tenuto._worker_health(o.id) h;
