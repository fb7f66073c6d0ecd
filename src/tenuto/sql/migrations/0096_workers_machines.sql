-- given_up_at: since when the provider is asked to end the machine of this worker; it cannot register any more.
-- registered_at: when the machine registered for the first time. requested: machines that were requested by hand and
-- that no decision has started yet.
alter table tenuto.workers
  add column given_up_at timestamptz,
  add column registered_at timestamptz;

alter table tenuto.pools
  add column requested int not null default 0,
  add constraint requested_is_up_to_1000 check (requested between 0 and 1000);

update tenuto.workers w
set registered_at = coalesce(
  (select min(s.started_at) from tenuto.sessions s where s.org_id = w.org_id and s.worker_id = w.id), w.created_at)
where w.pool_id is not null
  and w.last_heartbeat is not null;

-- The machines that run, among all of two weeks; and for the brake, when machines registered or failed to.
create index workers_running_machines_idx on tenuto.workers (org_id, pool_id)
  where pool_id is not null and machine_ended_at is null;
create index workers_registered_idx on tenuto.workers (org_id, pool_id, registered_at)
  where machine is null and registered_at is not null;
create index workers_failed_starts_idx on tenuto.workers (org_id, pool_id, coalesce(error_at, terminated_at))
  where machine is null and last_heartbeat is null and error is not null;
