-- A task whose code changed under it waits for a worker with other code (waits_for 'code'). Its route lists the code
-- versions that cannot continue it.
alter table tenuto.routes
  add column blocked_versions text[] not null default '{}',
  drop constraint route_is_unique,
  add constraint route_is_unique unique (org_id, queue, type, language, labels, addresses, blocked_versions, twin);
create index routes_blocked_idx on tenuto.routes (id) where blocked_versions <> '{}';

alter table tenuto.waiting_tasks
  drop constraint waits_for_is_known,
  add constraint waits_for_is_known check (waits_for in ('children', 'signal', 'time', 'limit', 'code'));
create index waiting_tasks_code_idx on tenuto.waiting_tasks (org_id, route_id, seq) where waits_for = 'code';

-- Not validated: every stored row satisfies the old constraint, which is stricter, and the table may be large.
alter table tenuto.task_attempts
  drop constraint outcome_is_known,
  add constraint outcome_is_known check (outcome in
    ('completed', 'failed', 'cancelled', 'skipped', 'lost', 'retrying', 'snoozed', 'interrupted', 'waiting',
     'forgotten', 'blocked')) not valid;
