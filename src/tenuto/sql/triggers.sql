-- The triggers of tables, which call functions, so that they cannot be created with the tables. Applied after the
-- functions, with the grants.

-- A UUIDv7 of a far future, for which there is no partition, is refused.
create or replace trigger ids_are_not_of_the_future before insert on tenuto.runs_default
  for each row when (substr(new.id::text, 15, 1) = '7') execute function tenuto._refuse_future_ids();
create or replace trigger ids_are_not_of_the_future before insert on tenuto.tasks_default
  for each row when (substr(new.id::text, 15, 1) = '7') execute function tenuto._refuse_future_ids();

-- The audit log is append-only, even for the owner.
create or replace trigger entries_are_only_added before update or delete on tenuto.audit_log
  for each row execute function tenuto._guard_audit_log();
create or replace trigger entries_are_never_emptied_out before truncate on tenuto.audit_log
  for each statement execute function tenuto._guard_audit_log();

-- A signal, a cancel, a close and a release take effect when their transaction commits: an open transaction of a client
-- then holds no lock that others wait for. Constraint triggers cannot be replaced, only dropped and created.
drop trigger if exists a_signal_wakes_its_tasks on tenuto.signals;
create constraint trigger a_signal_wakes_its_tasks after insert on tenuto.signals
  deferrable initially deferred for each row execute function tenuto._wake_signalled();

drop trigger if exists a_cancel_ends_its_tasks on tenuto.cancel_requests;
create constraint trigger a_cancel_ends_its_tasks after insert or update of requested_at on tenuto.cancel_requests
  deferrable initially deferred for each row when (new.at_commit) execute function tenuto._cancel_requested();

drop trigger if exists a_close_lets_its_run_end on tenuto.close_requests;
create constraint trigger a_close_lets_its_run_end after insert on tenuto.close_requests
  deferrable initially deferred for each row execute function tenuto._close_requested();

drop trigger if exists a_release_lets_its_run_start on tenuto.release_requests;
create constraint trigger a_release_lets_its_run_start after insert on tenuto.release_requests
  deferrable initially deferred for each row execute function tenuto._release_requested();
