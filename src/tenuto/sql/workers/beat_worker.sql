-- Records a heartbeat of a worker without a session (started by a provider, or external). The first heartbeat creates
-- the worker, later heartbeats merge its metrics (VRAM, load). p_logs: lines for its log, in the form that
-- _write_worker_logs expects. A terminated worker stays terminated. Returns the status of the worker.
create or replace function tenuto.beat_worker(
  p_org_id uuid, p_worker_id text, p_metrics jsonb default '{}', p_instance_type text default 'external',
  p_logs jsonb default null)
  returns text
  language plpgsql
as $$
declare
  v_status text;
begin
  perform tenuto._check_worker(p_worker_id, p_instance_type, p_metrics);
  insert into tenuto.workers (org_id, id, instance_type, status, metadata, created_at, last_heartbeat)
  values (p_org_id, p_worker_id, p_instance_type, 'active', coalesce(p_metrics, '{}'), tenuto.now(), tenuto.now())
  on conflict (org_id, id) do update
    set last_heartbeat = excluded.last_heartbeat,
        registered_at = coalesce(workers.registered_at, excluded.last_heartbeat),
        metadata = tenuto._merge_metadata(workers.metadata, excluded.metadata),
        status = case when workers.status = 'starting' then 'active' else workers.status end
    where workers.status <> 'terminated'
  returning status into v_status;
  if v_status is not null then
    perform tenuto._write_worker_logs(p_org_id, p_worker_id, p_logs);
  end if;
  return coalesce(v_status, 'terminated');
end
$$;
