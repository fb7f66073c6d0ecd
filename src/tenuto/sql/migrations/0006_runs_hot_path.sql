-- Where open tasks are: a task has exactly one row in these tables until it is final, then none.
-- Rows are inserted once and deleted once; only counters, floors and marks are updated.

create sequence tenuto.ready_seq;

create table tenuto.ready_tasks (
  seq       bigint not null,
  queued_at timestamptz not null,
  id        uuid not null,
  org_id    uuid not null,
  run_id    uuid not null,
  route_id  int not null,
  group_no  int not null,
  priority  int not null,
  attempt   int not null,
  traits    smallint not null,
  primary key (route_id, group_no, priority, seq)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

create index ready_tasks_id_idx on tenuto.ready_tasks (id);

-- Where there may be work. A claim starts reading a lane at its floor.
create table tenuto.ready_lanes (
  route_id    int not null,
  group_no    int not null,
  priority    int not null,
  org_id      uuid not null,
  floor       bigint not null default 0,
  empty_since timestamptz,
  primary key (route_id, group_no, priority)
) with (fillfactor = 50);

create table tenuto.pending_tasks (
  available_at timestamptz,
  id           uuid primary key,
  org_id       uuid not null,
  run_id       uuid not null,
  route_id     int not null,
  group_no     int not null,
  priority     int not null,
  attempt      int not null,
  remaining    int not null,
  traits       smallint not null,
  handler      text,
  constraint remaining_is_not_negative check (remaining >= 0)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create index pending_tasks_run_idx on tenuto.pending_tasks (run_id);

create table tenuto.waiting_tasks (
  seq          bigint not null default nextval('tenuto.ready_seq'),
  waiting_at   timestamptz not null,
  wake_at      timestamptz,
  id           uuid primary key,
  org_id       uuid not null,
  run_id       uuid not null,
  route_id     int not null,
  group_no     int not null,
  priority     int not null,
  attempt      int not null,
  remaining    int,
  limit_id     bigint,
  traits       smallint not null,
  waits_for    text not null,
  signal       text,
  constraint waits_for_is_known check (waits_for in ('children', 'signal', 'time', 'limit')),
  constraint waiting_for_children_counts_them check ((waits_for = 'children') = (remaining is not null)),
  constraint waiting_for_a_signal_names_it check ((waits_for = 'signal') = (signal is not null)),
  constraint waiting_for_a_time_names_it check (waits_for <> 'time' or wake_at is not null),
  constraint waiting_for_a_limit_names_it check ((waits_for = 'limit') = (limit_id is not null))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create index waiting_tasks_run_idx on tenuto.waiting_tasks (run_id);
create index waiting_tasks_wake_idx on tenuto.waiting_tasks (wake_at) where wake_at is not null;
create index waiting_tasks_limit_idx on tenuto.waiting_tasks (limit_id, priority desc, seq) where limit_id is not null;

-- Tasks that become ready at a time: started with a delay, snoozed, or in backoff.
create table tenuto.delayed_tasks (
  available_at timestamptz not null,
  id           uuid primary key,
  org_id       uuid not null,
  run_id       uuid not null,
  route_id     int not null,
  group_no     int not null,
  priority     int not null,
  attempt      int not null,
  traits       smallint not null,
  reason       text not null,
  constraint reason_is_known check (reason in ('delay', 'retry', 'snooze'))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create index delayed_tasks_due_idx on tenuto.delayed_tasks (available_at, id);

create table tenuto.running_tasks (
  queued_at   timestamptz not null,
  started_at  timestamptz not null,
  deadline_at timestamptz,
  silent_at   timestamptz,
  session_id  bigint not null,
  id          uuid primary key,
  org_id      uuid not null,
  run_id      uuid not null,
  claim_no    int not null,
  route_id    int not null,
  group_no    int not null,
  priority    int not null,
  attempt     int not null,
  traits      smallint not null,
  cancel      boolean not null default false,
  progress    real,
  message     text
) with (fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);

-- What ended since the run was last folded: one row per run and transaction, never one hot row per run.
create table tenuto.run_counts (
  id             bigint generated always as identity primary key,
  run_id         uuid not null,
  org_id         uuid not null,
  added          int not null default 0,
  completed      int not null default 0,
  failed         int not null default 0,
  cancelled      int not null default 0,
  skipped        int not null default 0,
  spoiled        int not null default 0,
  started_at     timestamptz,
  failed_task_id uuid
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

create index run_counts_run_idx on tenuto.run_counts (run_id);

-- The row that children and their waiting parent lock, so that neither misses the other.
create table tenuto.task_parents (
  id     uuid primary key,
  org_id uuid not null,
  open   int not null,
  constraint open_is_not_negative check (open >= 0)
) with (fillfactor = 50);

create table tenuto.awaited_tasks (
  id        uuid primary key,
  org_id    uuid not null,
  parent_id uuid not null
);

create index awaited_tasks_parent_idx on tenuto.awaited_tasks (parent_id);

-- Concurrency limits admit, they do not filter: only a task that holds its slots is ready.
-- A task takes the slots of several limits in one order (keys, then queues, then id), so that none waits in a circle.
create table tenuto.limits (
  id     bigint generated always as identity primary key,
  org_id uuid not null references tenuto.orgs (id),
  scope  text not null,
  key    text not null,
  size   int not null,
  constraint limit_exists_once unique (org_id, scope, key),
  constraint scope_is_known check (scope in ('key', 'queue')),
  constraint size_is_positive check (size between 1 and 1000000)
);

create table tenuto.limit_slots (
  task_id  uuid not null,
  limit_id bigint not null references tenuto.limits (id),
  org_id   uuid not null,
  constraint a_task_holds_one_slot_of_a_limit primary key (task_id, limit_id)
);

create index limit_slots_limit_idx on tenuto.limit_slots (limit_id);

-- Runs and tasks asked to stop that have not all ended yet: sweep_cancelled comes back to them.
create table tenuto.cancel_requests (
  id           uuid not null,
  scope        text not null,
  org_id       uuid not null,
  requested_at timestamptz not null,
  primary key (id, scope),
  constraint scope_is_known check (scope in ('run', 'task'))
);

-- What a claim hands to the worker.
create type tenuto.claimed as (
  task_id         uuid,
  attempt         int,
  run_id          uuid,
  route_id        int,
  input           jsonb,
  slots           jsonb,
  timeout_seconds real,
  metadata        jsonb
);

-- How an attempt that did not complete ended: what _settle_attempts decides on. charge is what it costs the task.
create type tenuto.attempt_end as (
  running tenuto.running_tasks,
  charge  text,
  final   boolean,
  after   real,
  error   jsonb
);

-- What a batch of completions ended, and which of them others wait for.
create type tenuto.ended as (
  ids      uuid[],
  followed uuid[],
  owned    uuid[],
  limited  uuid[]
);

-- A wait as wait_tasks reads it.
create type tenuto.wait as (
  id        uuid,
  waits_for text,
  children  uuid[],
  signal    text,
  seconds   float8
);
