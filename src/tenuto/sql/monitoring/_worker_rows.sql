-- Returns the workers p_ids with the number of tasks that each of them runs, and with their health. Metadata of more
-- than 64 KB is replaced by its size (cut_bytes).
create or replace function tenuto._worker_rows(p_org_id uuid, p_ids text[])
  returns table (
    id text, status text, instance_type text, address text, labels text[], languages text[], metadata jsonb,
    running int, created_at timestamptz, last_heartbeat timestamptz, lease_expires_at timestamptz,
    drained_at timestamptz, drain_reason text, error text, terminated_at timestamptz, health_status text,
    stuck_tasks int, current_task_id uuid, current_task_type text, task_runtime_seconds float8, error_at timestamptz)
  language sql
  stable
as $$
  select w.id, w.status, w.instance_type, w.address, w.labels, w.languages,
         case when octet_length(w.metadata::text) > 65536
              then jsonb_build_object('cut_bytes', octet_length(w.metadata::text))
              else w.metadata end,
         h.running_tasks, w.created_at, w.last_heartbeat, h.lease_expires_at, w.drained_at, w.drain_reason, w.error,
         w.terminated_at, h.health_status, h.stuck_tasks, h.current_task_id, h.current_task_type,
         extract(epoch from tenuto.now() - h.current_task_started_at)::float8, w.error_at
  from tenuto._worker_health(p_org_id, p_ids) h
  cross join lateral (select (h.worker).*) w
  order by w.id;
$$;
