-- Plain names for what travels with a task between the hot tables, and for how a run ends.

alter type tenuto.card rename to queued_task;
alter type tenuto.queued_task rename attribute traits to flags;
alter type tenuto.kind rename to task_spec;

alter table tenuto.ready_tasks rename column traits to flags;
alter table tenuto.running_tasks rename column traits to flags;
alter table tenuto.pending_tasks rename column traits to flags;
alter table tenuto.delayed_tasks rename column traits to flags;
alter table tenuto.waiting_tasks rename column traits to flags;

alter table tenuto.runs rename column alone to single_task;
alter table tenuto.runs rename column fate to pending_status;
alter table tenuto.runs rename column spoiled to untolerated_failures;
alter table tenuto.run_counts rename column spoiled to untolerated_failures;

alter function tenuto._keep_audit() rename to _guard_audit_log;
