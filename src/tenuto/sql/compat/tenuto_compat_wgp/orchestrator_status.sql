-- Shows the most important numbers of the org as the view `orchestrator_status` of Headless-WGP does, from
-- tenuto.orchestrator_status.
create or replace view tenuto_compat_wgp.orchestrator_status
  with (security_invoker = true)
as
select
  s.pending_tasks + s.queued_tasks + s.retrying_tasks + s.waiting_tasks as queued_tasks,
  s.running_tasks,
  s.completed_tasks,
  s.failed_tasks as error_tasks,
  s.failed_tasks,
  s.cancelled_tasks + s.skipped_tasks as cancelled_tasks,
  s.starting_workers + s.error_workers as inactive_workers,
  s.active_workers + s.draining_workers as active_workers,
  s.terminated_workers,
  s.external_workers,
  s.stale_workers + s.dead_workers as stale_workers,
  s.stuck_tasks,
  s.snapshot_time
from tenuto.orchestrator_status s
where s.org_id = (select tenuto_compat._org_id());

create or replace trigger refuses_writes
  instead of insert or update or delete on tenuto_compat_wgp.orchestrator_status
  for each row execute function tenuto_compat._refuse_write('the view shows counts and times');
