-- Runs and tasks. The record of work is written once or appended to, and is cut into weeks by UUIDv7; ids that are not
-- UUIDv7 go to the default partition. Open tasks are in the hot tables: a task has exactly one row in pending_tasks,
-- waiting_tasks, delayed_tasks, ready_tasks or running_tasks until it is final, then none. These rows are inserted once
-- and deleted once; only counters, floors and marks are updated.
--
-- Where a unique constraint is added after an index, keep this order: of indexes that seem to cost the same, because
-- the table is still empty, Postgres prefers the newest.

create table tenuto.routes (
  id               int generated always as identity primary key,
  org_id           uuid not null references tenuto.orgs (id),
  queue            text not null,
  type             text not null,
  language         text not null,
  labels           text[] not null,
  addresses        text[] not null,
  paused           boolean not null default false,
  -- A route that is first used in a client's transaction has the number of that transaction as its twin: no start
  -- waits for that transaction to make the same route. Twins mean the same, and workers serve all of them.
  twin             bigint not null default 0,
  -- A task whose code changed under it waits for a worker with other code (waits_for 'code'). Its route lists the code
  -- versions that cannot continue it.
  blocked_versions text[] not null default '{}',
  -- A soft route: the workers at its addresses take its tasks first; after two seconds, relax_placement moves them to
  -- the route of all workers.
  soft             boolean not null default false,
  constraint queue_is_not_empty check (length(queue) between 1 and 256),
  constraint type_is_not_empty check (length(type) between 1 and 256),
  constraint a_soft_route_has_addresses check (not soft or addresses <> '{}')
);
comment on table tenuto.routes is
  'Where a task waits and which workers can claim it (queue, type, language, labels, addresses), as one number.';

create index routes_paused_idx on tenuto.routes (id) where paused;
create index routes_blocked_idx on tenuto.routes (id) where blocked_versions <> '{}';
alter table tenuto.routes add constraint route_is_unique
  unique (org_id, queue, type, language, labels, addresses, blocked_versions, twin, soft);
create index routes_soft_idx on tenuto.routes (id) where soft;

create table tenuto.queues (
  org_id    uuid not null references tenuto.orgs (id),
  name      text not null,
  paused_at timestamptz,
  primary key (org_id, name)
);
comment on table tenuto.queues is
  'Queues, and since when they are paused.';

-- Without check constraints, like tasks, task_attempts and task_dependencies: Postgres reads their text again for each
-- statement that inserts or updates, an eighth of what starting a task costs. The functions check what callers pass,
-- and tests look for rows that break these rules.
create table tenuto.runs (
  id                   uuid not null,
  org_id               uuid not null,
  group_no             int not null,
  name                 text,
  single_task          boolean not null,
  status               text,
  pending_status       text,
  attempt              int not null default 1,
  max_attempts         int not null default 1,
  total                int,
  completed            int,
  failed               int,
  cancelled            int,
  skipped              int,
  untolerated_failures int,
  handlers             int not null default 0,
  failed_task_id       uuid,
  input                jsonb,
  metadata             jsonb,
  retry_of             uuid,
  next_retry_at        timestamptz,
  cancel_requested_at  timestamptz,
  created_at           timestamptz not null,
  started_at           timestamptz,
  completed_at         timestamptz,
  -- The newest retry of a run: a run is retried once, unless the caller forces it.
  retried_by           uuid,
  -- Null: the run was started with all its tasks. True: opened, and not closed (yet, or before it was cancelled).
  open                 boolean,
  -- The reason of a cancel. The cancelled tasks have it too, but a run may have none.
  cancel_reason        text,
  -- How many tasks of the run were deleted; null: none. Such a run cannot be retried.
  deleted_tasks        integer,
  constraint a_run_exists_once primary key (id)
) partition by range (id);
comment on table tenuto.runs is
  'Executions of graphs of tasks. For a run of one task (single_task), status and counts stay null: they are those '
  'of the task.';

-- Not (org_id, id): that cost 0.75 µs per run instead of 0.1 µs. The newest runs of a large org are read from the end
-- of the primary key.
create index runs_org_idx on tenuto.runs (org_id);
create index runs_open_idx on tenuto.runs (id) where status in ('pending', 'running', 'retrying');
create index runs_retry_of_idx on tenuto.runs (retry_of) where retry_of is not null;
-- Exactly the runs that settle_runs can move now or at next_retry_at: of 100,000 open runs with handlers it read all.
create index runs_settle_idx on tenuto.runs (next_retry_at)
  where status in ('pending', 'running', 'retrying') and (handlers > 0 or max_attempts > 1)
    and (total = completed + failed + cancelled + skipped + handlers);
-- Runs that did not complete, and named ones; a run of one that completed is in neither.
create index runs_unhappy_idx on tenuto.runs (org_id, status, id) where status in ('failed', 'cancelled');
create index runs_name_idx on tenuto.runs (org_id, name, id) where name is not null;
-- For changes: rows are nearly in the order of their times, which is all that these need. They are a few pages for a
-- million rows. completed_at is set once, so that no other update of a run loses anything.
create index runs_created_idx on tenuto.runs using brin (created_at) with (pages_per_range = 32, autosummarize = on);
create index runs_ended_idx on tenuto.runs using brin (completed_at) with (pages_per_range = 32, autosummarize = on);

insert into tenuto.partitioned_tables (table_name, key_column) values ('runs', 'id');
create table tenuto.runs_default partition of tenuto.runs default;
-- Finds runs with random ids whose retention is over.
create index runs_default_ended_idx on tenuto.runs_default (org_id, completed_at) where completed_at is not null;
-- For lists by metadata, which search period by period (_period): among ten million rows, a page of a value that only
-- old rows have, but many of them, read all newer rows. The period is the second column of this index and of those of
-- tasks and task_metadata. Rows without metadata, which are most, are not in it. Without fastupdate: a list would read
-- the pending entries one by one, and a start would sort them in.
create index runs_metadata_idx on tenuto.runs
  using gin (metadata jsonb_path_ops, (array[('x' || left(id::text, 8))::bit(32)::int >> 4]))
  with (fastupdate = off) where metadata is not null;

create table tenuto.tasks (
  id                        uuid not null,
  org_id                    uuid not null,
  run_id                    uuid not null,
  parent_id                 uuid,
  created_at                timestamptz not null,
  available_at              timestamptz,
  route_id                  int not null,
  group_no                  int not null,
  priority                  int not null,
  place                     int not null,
  backoff_seconds           real not null,
  timeout_seconds           real,
  heartbeat_timeout_seconds real,
  max_attempts              smallint not null,
  max_losses                smallint,
  run_attempt               smallint not null,
  optional                  boolean not null,
  has_slots                 boolean not null,
  handler                   text,
  name                      text,
  input                     jsonb,
  limits                    jsonb,
  metadata                  jsonb,
  queue_job_id              text,
  copy_of                   uuid,
  -- The first original of a task that a retry copied, for ctx.idempotency_key; null for a task that is no copy. Claims
  -- return it: a copy may have recorded steps before its first attempt.
  root_id                   uuid,
  constraint a_task_exists_once primary key (id)
) partition by range (id);
comment on table tenuto.tasks is
  'Units of work, written once and never updated. The state of a task is in the hot tables, then in '
  'task_attempts.';

-- A run of one shares its id with its task, so only the tasks of larger runs need to be found by run.
create index tasks_run_idx on tenuto.tasks (run_id) where run_id <> id;
create index tasks_parent_idx on tenuto.tasks (parent_id) where parent_id is not null;
create index tasks_queue_job_idx on tenuto.tasks (org_id, queue_job_id) where queue_job_id is not null;
create index tasks_metadata_idx on tenuto.tasks
  using gin (metadata jsonb_path_ops, (array[('x' || left(id::text, 8))::bit(32)::int >> 4]))
  with (fastupdate = off) where metadata is not null;

insert into tenuto.partitioned_tables (table_name, key_column) values ('tasks', 'id');
create table tenuto.tasks_default partition of tenuto.tasks default;

create table tenuto.task_attempts (
  task_id    uuid not null,
  org_id     uuid not null,
  queued_at  timestamptz,
  started_at timestamptz,
  ended_at   timestamptz not null,
  session_id bigint,
  end_no     int not null,
  attempt    int not null,
  outcome    text not null,
  reported   boolean not null,
  output     jsonb,
  error      jsonb,
  -- The last progress that an attempt reported: it is shown until the next attempt reports its own.
  progress   real,
  message    text,
  -- The route of an attempt's task, so that rollups need not look up every task: 3.5 µs per attempt without it, 1.8
  -- with. Null for results that a task took over from another one.
  route_id   int,
  constraint a_task_ends_once primary key (task_id, end_no)
) partition by range (task_id);
comment on table tenuto.task_attempts is
  'Every end of an attempt, and of a task that ended without one. end_no is 0 for the final end, else the number of '
  'the attempt that ended, so that the primary key allows one final end per task and one end per attempt.';

create index task_attempts_trouble_idx on tenuto.task_attempts (org_id, ended_at)
  where outcome in ('failed', 'retrying', 'lost');
create index task_attempts_unhappy_idx on tenuto.task_attempts (org_id, outcome, task_id)
  where end_no = 0 and outcome in ('failed', 'cancelled', 'skipped');
create index task_attempts_ended_idx on tenuto.task_attempts using brin (ended_at)
  with (pages_per_range = 32, autosummarize = on);

insert into tenuto.partitioned_tables (table_name, key_column) values ('task_attempts', 'task_id');
create table tenuto.task_attempts_default partition of tenuto.task_attempts default;
create index task_attempts_default_ended_idx on tenuto.task_attempts_default (org_id, ended_at) where end_no = 0;

create table tenuto.task_dependencies (
  parent_id uuid not null,
  child_id  uuid not null,
  org_id    uuid not null,
  runs_on   text not null,
  constraint an_edge_exists_once primary key (parent_id, child_id)
) partition by range (parent_id);
comment on table tenuto.task_dependencies is
  'Edges between the tasks of a run: the child waits for the parent.';

create index task_dependencies_child_idx on tenuto.task_dependencies (child_id);

insert into tenuto.partitioned_tables (table_name, key_column) values ('task_dependencies', 'parent_id');
create table tenuto.task_dependencies_default partition of tenuto.task_dependencies default;

create table tenuto.task_slots (
  task_id         uuid not null,
  direction       text not null,
  position        int not null,
  org_id          uuid not null,
  type            text not null,
  value           jsonb,
  object_id       uuid,
  source_task_id  uuid,
  source_position int,
  constraint a_slot_exists_once primary key (task_id, direction, position),
  constraint direction_is_known check (direction in ('input', 'output')),
  constraint position_is_not_negative check (position >= 0 and source_position >= 0),
  constraint a_slot_has_one_source check (num_nonnulls(value, object_id, source_task_id) = (direction = 'input')::int)
) partition by range (task_id);
comment on table tenuto.task_slots is
  'Ordered, typed inputs and outputs of a task. An input is a value, a data object or the output of another task.';

create index task_slots_object_idx on tenuto.task_slots (object_id) where object_id is not null;

insert into tenuto.partitioned_tables (table_name, key_column) values ('task_slots', 'task_id');
create table tenuto.task_slots_default partition of tenuto.task_slots default;

create table tenuto.run_slots (
  run_id          uuid not null,
  position        int not null,
  org_id          uuid not null,
  type            text not null,
  source_task_id  uuid not null,
  source_position int,
  constraint a_run_slot_exists_once primary key (run_id, position),
  constraint position_is_not_negative check (position >= 0 and source_position >= 0)
);
comment on table tenuto.run_slots is
  'Which outputs of tasks are the outputs of the run, in order.';

create table tenuto.task_logs (
  task_id   uuid not null,
  attempt   int not null,
  line_no   int not null,
  org_id    uuid not null,
  logged_at timestamptz not null,
  level     text not null,
  message   text not null,
  fields    jsonb,
  constraint a_line_exists_once primary key (task_id, attempt, line_no)
) partition by range (task_id);
comment on table tenuto.task_logs is
  'Log lines of attempts, bounded by write_logs.';

insert into tenuto.partitioned_tables (table_name, key_column) values ('task_logs', 'task_id');
create table tenuto.task_logs_default partition of tenuto.task_logs default;

create table tenuto.dedupe_keys (
  org_id     uuid not null,
  scope      text not null,
  key        text not null,
  run_id     uuid not null,
  created_at timestamptz not null,
  constraint a_key_is_taken_once primary key (org_id, scope, key),
  constraint key_is_not_too_long check (length(key) between 1 and 1024)
);
comment on table tenuto.dedupe_keys is
  'Keys of starts: a second start with a key returns the run of the first.';

create index dedupe_keys_run_idx on tenuto.dedupe_keys (run_id);

-- The type and options of tasks of one kind, resolved to a route, as start_run reads them.
create type tenuto.task_spec as (
  route_id                  int,
  queue                     text,
  priority                  int,
  max_attempts              int,
  max_losses                int,
  backoff_seconds           real,
  timeout_seconds           real,
  heartbeat_timeout_seconds real,
  optional                  boolean,
  handler                   text
);

-- A dependency as start_run reads it: positions of two tasks in the list of tasks, the first one earlier.
create type tenuto.edge as (
  from_no int,
  to_no   int,
  runs_on text
);

-- The result of one start of a batch: the run, and whether this call created it.
create type tenuto.started as (
  no      int,
  run_id  uuid,
  created boolean
);

-- The order of tasks in lanes and in the lines of limits.
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
  flags     smallint not null,
  primary key (route_id, group_no, priority, seq)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000, autovacuum_vacuum_cost_delay = 0);
comment on table tenuto.ready_tasks is
  'Tasks that workers can claim now, in lanes of one route, resource group and priority, ordered by seq.';

create index ready_tasks_id_idx on tenuto.ready_tasks (id);

create table tenuto.ready_lanes (
  route_id    int not null,
  group_no    int not null,
  priority    int not null,
  org_id      uuid not null,
  floor       bigint not null default 0,
  empty_since timestamptz,
  primary key (route_id, group_no, priority)
) with (fillfactor = 50);
comment on table tenuto.ready_lanes is
  'Lanes that may have ready tasks. A claim begins to read a lane at its floor.';

-- Resource groups by the hash of their number, only those with lanes that are not known to be empty: claims draw among
-- them. Postgres also used an index of all lanes to look up one lane, and then read all lanes of the route.
create index ready_lanes_place_idx on tenuto.ready_lanes (route_id, hashint4(group_no), group_no)
  where empty_since is null;

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
  flags        smallint not null,
  handler      text,
  -- True: the task waits for the release of its run, which counts as one dependency. Tasks that depend on others are
  -- not marked: they start after those.
  held         boolean,
  constraint remaining_is_not_negative check (remaining >= 0)
) with (fillfactor = 50, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
comment on table tenuto.pending_tasks is
  'Tasks that wait for other tasks of their run, counted down by each of them that ends.';

create index pending_tasks_run_idx on tenuto.pending_tasks (run_id);

create table tenuto.waiting_tasks (
  seq           bigint not null default nextval('tenuto.ready_seq'),
  waiting_at    timestamptz not null,
  wake_at       timestamptz,
  id            uuid primary key,
  org_id        uuid not null,
  run_id        uuid not null,
  route_id      int not null,
  group_no      int not null,
  priority      int not null,
  attempt       int not null,
  remaining     int,
  limit_id      bigint,
  flags         smallint not null,
  waits_for     text not null,
  signal        text,
  signal_schema jsonb,
  constraint waiting_for_children_counts_them check ((waits_for = 'children') = (remaining is not null)),
  constraint waiting_for_a_signal_names_it check ((waits_for = 'signal') = (signal is not null)),
  constraint waiting_for_a_time_names_it check (waits_for <> 'time' or wake_at is not null),
  constraint waiting_for_a_limit_names_it check ((waits_for = 'limit') = (limit_id is not null)),
  constraint waits_for_is_known check (waits_for in ('children', 'signal', 'time', 'limit', 'code')),
  constraint a_schema_is_of_a_signal check (signal_schema is null or waits_for = 'signal')
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
comment on table tenuto.waiting_tasks is
  'Tasks that wait for children, a signal, a time, a slot of a limit or a worker with other code, and hold no slot '
  'of a worker.';

create index waiting_tasks_run_idx on tenuto.waiting_tasks (run_id);
create index waiting_tasks_wake_idx on tenuto.waiting_tasks (wake_at) where wake_at is not null;
-- Both columns ascend, so that one comparison of rows finds the floor.
create index waiting_tasks_limit_idx on tenuto.waiting_tasks (limit_id, (-priority), seq) where limit_id is not null;
create index waiting_tasks_code_idx on tenuto.waiting_tasks (org_id, route_id, seq) where waits_for = 'code';
create index waiting_tasks_events_idx on tenuto.waiting_tasks (id) where waits_for in ('children', 'signal');

create table tenuto.delayed_tasks (
  available_at timestamptz not null,
  id           uuid primary key,
  org_id       uuid not null,
  run_id       uuid not null,
  route_id     int not null,
  group_no     int not null,
  priority     int not null,
  attempt      int not null,
  flags        smallint not null,
  reason       text not null,
  constraint reason_is_known check (reason in ('delay', 'retry', 'snooze'))
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
comment on table tenuto.delayed_tasks is
  'Tasks that become ready at a time: started with a delay, snoozed, or in backoff.';

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
  claim_no    bigint not null,   -- counts the claims of a process; as an int it ran out after 25 days at 1,000/s
  route_id    int not null,
  group_no    int not null,
  priority    int not null,
  attempt     int not null,
  flags       smallint not null,
  cancel      boolean not null default false,
  progress    real,
  message     text,
  -- The place that the task had in its lane: it gets it back when its worker stops before the task is done.
  seq         bigint
) with (
  fillfactor = 90, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000,
  autovacuum_vacuum_cost_delay = 0
);
comment on table tenuto.running_tasks is
  'Tasks that a worker holds: the attempt, its session, and what it reported last.';

-- Only tasks with a timeout are in these, so that others pay nothing.
create index running_tasks_deadline_idx on tenuto.running_tasks (deadline_at) where deadline_at is not null;
create index running_tasks_silent_idx on tenuto.running_tasks (silent_at) where silent_at is not null;
-- Counts the running tasks of resource groups, for quotas. The default group has most tasks and hardly ever a quota:
-- its tasks are not in the index, which would make every claim 7 % dearer. Flag 16 (_grouped) marks those of others.
create index running_tasks_group_idx on tenuto.running_tasks (group_no) where (flags & 16) > 0;

create table tenuto.run_counts (
  id                   bigint generated always as identity primary key,
  run_id               uuid not null,
  org_id               uuid not null,
  added                int not null default 0,
  completed            int not null default 0,
  failed               int not null default 0,
  cancelled            int not null default 0,
  skipped              int not null default 0,
  untolerated_failures int not null default 0,
  started_at           timestamptz,
  failed_task_id       uuid
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
comment on table tenuto.run_counts is
  'Tasks that ended since the run was last folded: one row per run and transaction, never one hot row per run.';

create index run_counts_run_idx on tenuto.run_counts (run_id);

create table tenuto.task_parents (
  id     uuid primary key,
  org_id uuid not null,
  open   int not null,
  constraint open_is_not_negative check (open >= 0)
) with (fillfactor = 50);
comment on table tenuto.task_parents is
  'The row that children and their waiting parent lock, so that neither misses the other.';

create table tenuto.awaited_tasks (
  id        uuid primary key,
  org_id    uuid not null,
  parent_id uuid not null
);
comment on table tenuto.awaited_tasks is
  'Children that a waiting parent waits for.';

create index awaited_tasks_parent_idx on tenuto.awaited_tasks (parent_id);

-- A task takes the slots of several limits in the order of their ids, so that none waits in a circle. The id is the
-- hash of org, scope and key (_limit_id), so that claims and completions need not look up limits by key. Slots have no
-- foreign key to limits: slots are given and limits are deleted only under the lock of the limit.
create table tenuto.limits (
  id             bigint not null,
  org_id         uuid not null references tenuto.orgs (id),
  scope          text not null,
  key            text not null,
  size           int not null,
  idle_since     timestamptz,
  -- Of a rate limit, which admits at most `size` tasks within `seconds`:
  --   paced_at  when the next task may be admitted
  --   due_at    when a dispatcher should look; null while no task waits
  --   misses    looks in a row that found no task
  seconds        float8,
  paced_at       timestamptz,
  due_at         timestamptz,
  misses         int not null default 0,
  -- Its size is that of a declaration, not that of a start.
  declared       boolean not null default false,
  -- Where the line of a limit and its slots begin. Rows before these positions are gone, although vacuum may not have
  -- removed them: without floors, every call that fills a limit read all of them while a long transaction was open.
  floor_priority int not null default 2147483647,
  floor_seq      bigint not null default 0,
  floor_slot     bigint not null default 0,
  -- Of the task that created the limit: worker keys of other queues cannot change it.
  queue          text,
  -- The size with which a limit of more than 1,000 slots had none left when it was last filled, if no slot has become
  -- free since: while it is the size of the limit, no call has to count the slots. Else null.
  full_size      int,
  constraint limit_exists_once unique (org_id, scope, key),
  constraint size_is_positive check (size between 1 and 1000000),
  constraint scope_is_known check (scope in ('key', 'queue', 'rate')),
  constraint a_rate_has_seconds check ((scope = 'rate') = (seconds is not null)),
  constraint seconds_are_at_most_a_month check (seconds between 0.001 and 2678400),
  constraint only_rates_are_paced check (scope = 'rate' or (paced_at is null and due_at is null))
);
comment on table tenuto.limits is
  'Limits of concurrency and of rate. They admit tasks: only a task that holds its slots is ready.';

create index limits_idle_idx on tenuto.limits (idle_since) where idle_since is not null;
create index limits_busy_idx on tenuto.limits (id) where idle_since is null;
create index limits_due_idx on tenuto.limits (due_at) where due_at is not null;
-- For the foreign keys of admissions.
alter table tenuto.limits add constraint limit_belongs_to_its_org unique (org_id, id);
-- The key of a limit per value ends in "parameter=": a declaration finds its limits in one range of this index.
create index limits_prefix_idx on tenuto.limits (org_id, scope, key text_pattern_ops);
alter table tenuto.limits add primary key (id);

create table tenuto.limit_slots (
  task_id  uuid not null,
  limit_id bigint not null,
  org_id   uuid not null,
  seq      bigint generated always as identity,
  constraint a_task_holds_one_slot_of_a_limit primary key (task_id, limit_id)
);
comment on table tenuto.limit_slots is
  'Which tasks hold a slot of which limit.';

create index limit_slots_limit_idx on tenuto.limit_slots (limit_id, org_id, seq);

create table tenuto.cancel_requests (
  id           uuid not null,
  scope        text not null,
  org_id       uuid not null,
  requested_at timestamptz not null,
  -- The tasks that a cancel still waits for, once all of them have been told to stop: a sweep looks at these alone, not
  -- at everything below the cancelled run or task. Null: not known, look at all.
  open_ids     uuid[],
  -- at_commit: the request of a client, whose tasks end at its commit; the dispatcher ends those of other requests.
  reason       text,
  at_commit    boolean not null default false,
  primary key (id, scope),
  constraint scope_is_known check (scope in ('run', 'task'))
);
comment on table tenuto.cancel_requests is
  'Runs and tasks that were asked to stop and have not all ended yet. sweep_cancelled returns to them.';

-- A claimed task, as the worker receives it.
create type tenuto.claimed as (
  task_id         uuid,
  attempt         int,
  run_id          uuid,
  route_id        int,
  input           jsonb,
  slots           jsonb,
  timeout_seconds real,
  metadata        jsonb,
  root_id         uuid
);

-- How an attempt that did not complete ended: what _settle_attempts decides on. charge is what it costs the task.
create type tenuto.attempt_end as (
  running tenuto.running_tasks,
  charge  text,
  final   boolean,
  after   real,
  error   jsonb
);

-- The tasks that a batch of completions ended, and which of them others wait for.
create type tenuto.ended as (
  ids      uuid[],
  followed uuid[],
  owned    uuid[],
  limited  uuid[],
  jobs     uuid[]   -- those that are tasks of jobs
);

-- A wait as wait_tasks reads it.
create type tenuto.wait as (
  id        uuid,
  waits_for text,
  children  uuid[],
  signal    text,
  seconds   float8,
  schema    jsonb -- of the value that is waited for
);

create table tenuto.data_objects (
  id         uuid not null,
  org_id     uuid not null references tenuto.orgs (id),
  type       text not null,
  uri        text,
  payload    bytea,
  size       bigint not null,
  checksum   text,
  metadata   jsonb,
  created_at timestamptz not null,
  persisted  boolean not null default false,
  constraint an_object_is_a_payload_or_a_uri check (num_nonnulls(uri, payload) = 1),
  constraint payload_fits_in_a_megabyte check (payload is null or octet_length(payload) <= 1048576),
  constraint size_is_not_negative check (size >= 0)
);
comment on table tenuto.data_objects is
  'Stored values with references: a small payload, or the address of a file. A persisted object is not collected '
  'when nothing references it any more; only delete_object deletes it.';

create index data_objects_age_idx on tenuto.data_objects (created_at) where not persisted;
alter table tenuto.data_objects add primary key (org_id, id);

create table tenuto.data_locality (
  object_id uuid not null,
  org_id    uuid not null,
  address   text not null,
  hard      boolean not null,
  primary key (org_id, object_id, address),
  constraint locality_belongs_to_an_object foreign key (org_id, object_id)
    references tenuto.data_objects (org_id, id) on delete cascade
);
comment on table tenuto.data_locality is
  'The addresses at which a data object is. Tasks with a hard locality run only there.';

create table tenuto.data_references (
  object_id uuid not null,
  holder    text not null,
  holder_id uuid not null,
  org_id    uuid not null,
  constraint holder_is_known check (holder in ('run', 'group', 'task')),
  constraint reference_is_to_an_object foreign key (org_id, object_id) references tenuto.data_objects (org_id, id)
);
comment on table tenuto.data_references is
  'Holders that still need a data object. Runs and tasks are partitioned, so they have no foreign key: delete_run and '
  'the retention remove their references.';

create index data_references_holder_idx on tenuto.data_references (holder_id);
alter table tenuto.data_references add primary key (org_id, object_id, holder, holder_id);

create table tenuto.run_data (
  id         uuid primary key,
  org_id     uuid not null,
  run_id     uuid not null,
  key        text not null,
  value      jsonb not null,
  tags       text[] not null default '{}',
  task_id    uuid,
  attempt    int,
  created_at timestamptz not null,
  metadata   jsonb,
  updated_at timestamptz,   -- when the tags were changed; null: not since the value was written
  constraint key_is_not_too_long check (length(key) between 1 and 1024),
  constraint value_fits_in_a_megabyte check (pg_column_size(value) <= 1048576),
  constraint a_writer_is_a_task_and_its_attempt check ((task_id is null) = (attempt is null)),
  constraint metadata_is_an_object check (jsonb_typeof(metadata) = 'object')
);
comment on table tenuto.run_data is
  'Key-value pairs that are shared inside a run. The newest row of a key is its value, the earlier rows are its '
  'history.';

create index run_data_key_idx on tenuto.run_data (run_id, key, id);

create table tenuto.operator_state (
  org_id     uuid not null references tenuto.orgs (id),
  job_key    text not null,
  key        text not null,
  value      jsonb not null,
  version    bigint not null,
  updated_at timestamptz not null,
  task_id    uuid,
  attempt    int,
  primary key (org_id, job_key, key),
  constraint value_fits_in_a_megabyte check (pg_column_size(value) <= 1048576),
  constraint a_writer_is_a_task_and_its_attempt check ((task_id is null) = (attempt is null))
);
comment on table tenuto.operator_state is
  'Key-value pairs of a job that outlive its tasks, changed by compare-and-set on their version. task_id and '
  'attempt name the attempt that set a value, so that a repeated call is told from another attempt''s change.';

create table tenuto.task_steps (
  task_id    uuid not null,
  step_no    int not null,
  org_id     uuid not null,
  name       text not null,
  kind       text not null,
  value      jsonb,
  attempt    int not null,
  created_at timestamptz not null,
  -- A step can fail: for good, or, with retry_at, to be tried again then. `tries` counts how often it ran to its end.
  error      jsonb,
  tries      int not null default 1,
  retry_at   timestamptz,
  constraint a_step_is_recorded_once primary key (task_id, step_no),
  -- The ids of 100,000 children need more.
  constraint value_fits_in_a_megabyte check (value is null or kind = 'child' or pg_column_size(value) <= 1048576),
  constraint tries_are_positive check (tries >= 1),
  constraint a_retry_follows_an_error check (retry_at is null or error is not null),
  constraint error_fits_in_a_megabyte check (error is null or pg_column_size(error) <= 1048576),
  constraint kind_is_known check (kind in ('step', 'child', 'sleep', 'signal', 'patch')),
  constraint only_patches_are_negative check ((kind = 'patch') = (step_no < 0)),
  -- A signal whose value does not have the type that the task waits for keeps its value and gets an error.
  constraint only_calls_that_can_fail_have_errors
    check (error is null or kind in ('child', 'signal') or (kind = 'step' and value is null))
);
comment on table tenuto.task_steps is
  'Recorded steps of durable tasks: what they returned, or with which error they failed.';

create table tenuto.signals (
  id       uuid primary key,
  org_id   uuid not null,
  run_id   uuid not null,
  name     text not null,
  value    jsonb,
  sent_at  timestamptz not null,
  taken_by uuid,
  taken_at timestamptz,
  constraint name_is_not_empty check (length(name) between 1 and 256),
  constraint taken_has_a_time check ((taken_by is null) = (taken_at is null))
);
comment on table tenuto.signals is
  'Messages to runs. A signal is taken by one wait; a wait that comes later finds it here.';

create index signals_open_idx on tenuto.signals (run_id, name, id) where taken_by is null;
create index signals_run_idx on tenuto.signals (run_id);

create table tenuto.task_inputs (
  task_id            uuid not null,
  dataset_id         uuid not null,
  partition_key      text not null default '',
  org_id             uuid not null,
  dataset_version_id uuid not null,
  fingerprint        text not null,
  constraint an_input_is_noted_once primary key (task_id, dataset_id, partition_key),
  constraint partition_key_is_not_too_long check (length(partition_key) <= 256),
  constraint fingerprint_is_not_empty check (length(fingerprint) between 1 and 256)
) partition by range (task_id);
comment on table tenuto.task_inputs is
  'The partitions of datasets that a task read. partition_key is '''' for a dataset without partitions; the '
  'fingerprint is a hash of the content, equal where the content is equal, whatever version it came with. The rows '
  'are dropped with their task. They name rows of another context, so there is no foreign key.';

create index task_inputs_memo_idx on tenuto.task_inputs (org_id, fingerprint);
create index task_inputs_version_idx on tenuto.task_inputs (dataset_version_id);

create table tenuto.task_inputs_default partition of tenuto.task_inputs default;
insert into tenuto.partitioned_tables (table_name, key_column) values ('task_inputs', 'task_id');

create table tenuto.rate_admissions (
  limit_id    bigint not null,
  since       timestamptz not null,
  admitted_at timestamptz not null,
  org_id      uuid not null,
  tasks       int not null,
  primary key (limit_id, since),
  constraint tasks_are_positive check (tasks > 0),
  constraint admission_is_by_a_limit
    foreign key (org_id, limit_id) references tenuto.limits (org_id, id) on delete cascade
) with (fillfactor = 50);
comment on table tenuto.rate_admissions is
  'How many tasks a rate limit admitted, in pieces of a thousandth of its seconds: in none of its windows may they '
  'exceed its size.';

create index rate_admissions_limit_idx on tenuto.rate_admissions (limit_id, org_id);

-- How many tasks a rate may admit now, from which time of its pace on, and how long one of them takes.
create type tenuto.rate_share as (
  tasks     int,
  starts_at timestamptz,
  pace      interval
);

create table tenuto.task_types (
  org_id         uuid not null references tenuto.orgs (id),
  type           text not null,
  kind           jsonb not null,
  limits         jsonb,
  declared_by    text not null,
  declared_at    timestamptz not null,
  -- The JSON Schema of the arguments of the type, against which the server checks inputs.
  input_schema   jsonb,
  -- Why the server does not check inputs against the schema that a worker declared.
  schema_problem text,
  primary key (org_id, type),
  constraint type_is_not_empty check (length(type) between 1 and 256),
  constraint kind_is_an_object check (jsonb_typeof(kind) = 'object'),
  constraint limits_are_a_list check (jsonb_typeof(limits) = 'array'),
  constraint input_schema_is_an_object check (jsonb_typeof(input_schema) = 'object'),
  constraint a_refused_schema_is_not_stored check (schema_problem is null or input_schema is null)
);
comment on table tenuto.task_types is
  'Task types as workers declare them, for starts by clients that do not have the app.';

-- A start locks nothing that others need and writes only rows of its own: it may be part of a transaction that a client
-- keeps open for an hour. So it cannot open a lane, lower a floor, make a limit or take a slot; it writes an arrival,
-- and the next claim or dispatcher that sees it does that (_follow_arrivals).
--   a lane (route_id, group_no, priority): tasks from seq on are ready there
--   a line (limit_id): tasks wait for this limit from the position (priority, seq) on; scope, key, size and seconds say
--     how to make it; resizes: a start wants that size; route_id: of a task that names the limit
create table tenuto.arrivals (
  id       bigint generated always as identity primary key,
  org_id   uuid not null,
  seq      bigint,
  route_id int,
  group_no int,
  priority int,
  limit_id bigint,
  scope    text,
  key      text,
  size     int,
  seconds  float8,
  resizes  boolean not null default false,
  constraint arrival_is_in_a_lane_or_a_line check (
    case when limit_id is null then num_nonnulls(seq, route_id, group_no, priority) = 4
    else group_no is null and (seq is null) = (priority is null) end)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
comment on table tenuto.arrivals is
  'Work that a start leaves for claims and dispatchers, after its commit.';

create table tenuto.arrival_floor (
  floor bigint not null,
  one   boolean primary key default true,
  constraint there_is_one_floor check (one)
);
comment on table tenuto.arrival_floor is
  'Where claims begin to read arrivals: one row. Below are dead rows while a transaction holds vacuum back. '
  'move_floors moves it, and searches below it for rows that committed late.';

insert into tenuto.arrival_floor (floor) values (0);

-- A lane and what it should say: where its first task is, or since when it is empty.
create type tenuto.lane_floor as (
  route_id    int,
  group_no    int,
  priority    int,
  floor       bigint,
  empty_since timestamptz
);

-- by_value: there is one limit per value of a parameter; key is what the keys of these limits begin with.
-- queue: of the type that declared it last; workers of other queues cannot change it.
create table tenuto.declared_limits (
  org_id      uuid not null references tenuto.orgs (id),
  scope       text not null,
  key         text not null,
  by_value    boolean not null,
  size        int not null,
  seconds     float8,
  queue       text not null,
  declared_by text not null,
  declared_at timestamptz not null,
  primary key (org_id, scope, key, by_value),
  constraint scope_is_known check (scope in ('key', 'queue', 'rate')),
  constraint size_is_positive check (size between 1 and 1000000),
  constraint key_per_value_ends_before_the_value check (not by_value or right(key, 1) = '=')
);
comment on table tenuto.declared_limits is
  'The sizes of limits that workers declare with their task types; a start cannot change these.';

create table tenuto.run_requests (
  run_id       uuid not null,   -- the run that is cancelled or deleted, or the new run of a retry
  verb         text not null,
  org_id       uuid not null,
  source_id    uuid,   -- the run that a retry copies
  reuse        boolean,
  reason       text,
  phase        text not null default 'list',
  next_part    int not null default 1,
  tasks        int,   -- how many there are to work on, once they are listed
  done         int not null default 0,
  requested_at timestamptz not null,
  worked_at    timestamptz not null,   -- the org whose last piece is longest ago comes next
  -- The ids of copies are derived from it (_copy_id). It is not the new run's id: that is the id of the first task's
  -- copy where the old run's id was that of its first task.
  base_id      uuid,
  -- The task or step from which a retry begins (retry_run).
  from_name    text,
  constraint a_request_is_made_once primary key (run_id, verb),
  constraint phase_is_known check (phase in ('list', 'work', 'release')),
  constraint a_retry_has_a_source check ((verb = 'retry') = (source_id is not null)),
  constraint verb_is_known check (verb in ('cancel', 'retry', 'delete', 'delete_group')),
  constraint base_id_is_of_a_copy_or_a_group check ((verb in ('retry', 'delete_group')) = (base_id is not null))
);
comment on table tenuto.run_requests is
  'Requests to cancel, retry or delete a large run, or the runs of a deleted resource group: accepted at once, '
  'finished by dispatchers in pieces.';

create index run_requests_source_idx on tenuto.run_requests (source_id) where source_id is not null;

create table tenuto.run_request_parts (
  run_id   uuid not null,
  verb     text not null,
  no       int not null,
  org_id   uuid not null,
  again    boolean not null,   -- a retry executes these tasks again
  task_ids uuid[] not null,
  -- Whether the tasks of a part run again with their recorded steps.
  replay   boolean not null default false,
  constraint a_part_exists_once primary key (run_id, verb, no)
);
comment on table tenuto.run_request_parts is
  'The tasks of a request, in the order in which dispatchers work on them.';

-- The first task that was added to the line of a limit.
create type tenuto.line_start as (
  limit_id bigint,
  org_id   uuid,
  priority int,
  seq      bigint
);

-- The output of a run; omitted: there is one, too large for one value.
create type tenuto.run_output as (
  output  jsonb,
  omitted boolean
);

--   available_at: delayed_tasks; wake_at: waiting_tasks; deadline_at, silent_at: running_tasks; count_id: run_counts;
--   audit_id: audit_arrivals
create table tenuto.due_floors (
  available_at timestamptz not null,
  wake_at      timestamptz not null,
  deadline_at  timestamptz not null,
  silent_at    timestamptz not null,
  count_id     bigint not null,
  one          boolean primary key default true,
  audit_id     uuid not null default '00000000-0000-0000-0000-000000000000',
  constraint there_is_one_row_of_floors check (one)
);
comment on table tenuto.due_floors is
  'From where dispatchers read due work: one row. Before these times and this number are dead rows while a '
  'transaction holds vacuum back. move_floors moves them, and searches before them for rows that committed late.';

insert into tenuto.due_floors (available_at, wake_at, deadline_at, silent_at, count_id)
values ('-infinity', '-infinity', '-infinity', '-infinity', 0);

-- Adding tasks locks the row for key share; removing the row locks it for update.
create table tenuto.open_runs (
  run_id    uuid not null constraint a_run_is_opened_once primary key,
  org_id    uuid not null,
  opened_at timestamptz not null
);
comment on table tenuto.open_runs is
  'Open runs: tasks are added to them until they are closed. While a run has a row here, it counts one task more '
  'than it has, so that it cannot end.';

create table tenuto.close_requests (
  run_id       uuid not null,
  cancelled    boolean not null,
  org_id       uuid not null,
  requested_at timestamptz not null,
  constraint a_run_is_closed_once primary key (run_id, cancelled)   -- so that a cancel never waits for a close
);
comment on table tenuto.close_requests is
  'Runs to which no more tasks will be added: closed, or cancelled while they were open.';

create table tenuto.run_deadlines (
  run_id uuid not null,
  kind   text not null,
  org_id uuid not null,
  at     timestamptz not null,
  constraint a_run_has_one_deadline_of_each_kind primary key (run_id, kind),
  constraint kind_is_known check (kind in ('deadline', 'expires'))
);
comment on table tenuto.run_deadlines is
  'When a run is cancelled unless it has ended (deadline) or begun (expires). A row is deleted when its time comes, '
  'or with its run: the end of a run does not touch it.';

create index run_deadlines_at_idx on tenuto.run_deadlines (at);

create table tenuto.task_metadata (
  task_id    uuid not null,
  org_id     uuid not null,
  metadata   jsonb not null,
  changed_at timestamptz not null,
  constraint metadata_of_a_task_is_changed_in_one_row primary key (task_id),
  constraint metadata_is_an_object check (jsonb_typeof(metadata) = 'object'),
  constraint metadata_fits_in_a_megabyte check (pg_column_size(metadata) <= 1048576)
);
comment on table tenuto.task_metadata is
  'Metadata of tasks that was changed after the start. The table tasks is written once, and claims do not read this '
  'one: a worker receives the metadata with which the task was started.';

-- As runs_metadata_idx.
create index task_metadata_found_idx on tenuto.task_metadata
  using gin (metadata jsonb_path_ops, (array[('x' || left(task_id::text, 8))::bit(32)::int >> 4]))
  with (fastupdate = off);

-- Adding tasks locks the row for key share; removing the row locks it for update.
create table tenuto.held_runs (
  run_id  uuid not null constraint a_run_is_held_once primary key,
  org_id  uuid not null,
  held_at timestamptz not null
);
comment on table tenuto.held_runs is
  'Runs that were started or opened with hold: none of their tasks starts before the run is released. The row of a '
  'run that was cancelled instead stays until the run is deleted.';

create table tenuto.release_requests (
  run_id       uuid not null constraint a_run_is_released_once primary key,
  org_id       uuid not null,
  requested_at timestamptz not null
);
comment on table tenuto.release_requests is
  'Held runs that were released.';

create table tenuto.job_tasks (
  task_id        uuid not null,
  org_id         uuid not null,
  job_key        uuid not null,
  dag_version_id uuid not null,
  config_hash    text not null,
  partition_key  text not null,   -- '' for a task without a partition
  input_versions jsonb not null,
  rebuild        boolean not null,
  constraint a_task_is_of_one_job primary key (task_id),
  constraint partition_key_is_not_too_long check (octet_length(partition_key) <= 256),
  constraint config_hash_is_a_hash check (config_hash ~ '^[0-9a-f]{64}$'),
  constraint input_versions_are_a_list check (jsonb_typeof(input_versions) = 'array')
) partition by range (task_id);
comment on table tenuto.job_tasks is
  'Tasks of jobs, and what each of them was started for. Written with the task, never changed.';

-- The first one finds the newest tasks of a job, the second one those of a partition. Keep this order: with the first
-- one as the newest index, look-ups by partition would read all tasks of the job.
create index job_tasks_job_idx on tenuto.job_tasks (org_id, job_key, task_id);
create index job_tasks_partition_idx on tenuto.job_tasks (org_id, job_key, partition_key, task_id);

create table tenuto.job_tasks_default partition of tenuto.job_tasks default;
insert into tenuto.partitioned_tables (table_name, key_column) values ('job_tasks', 'task_id');

create table tenuto.build_tasks (
  dag_version_id uuid not null,
  task_id        uuid not null,
  org_id         uuid not null,
  failed         boolean not null default false,
  primary key (dag_version_id, task_id)
);
comment on table tenuto.build_tasks is
  'The tasks that compute a version of a DAG before it is current, until the build has counted their ends. Those '
  'that ended without completing stay, marked, until the build is continued.';

create index build_tasks_failed_idx on tenuto.build_tasks (dag_version_id, task_id) where failed;

create table tenuto.limit_overrides (
  org_id uuid not null references tenuto.orgs (id),
  scope  text not null,
  key    text not null,
  size   int not null,
  set_at timestamptz not null,
  primary key (org_id, scope, key),
  constraint scope_is_of_concurrency check (scope in ('key', 'queue')),
  constraint size_is_positive check (size between 1 and 1000000)
);
comment on table tenuto.limit_overrides is
  'Sizes of limits that users have set. They take precedence over what workers declare, jobs define and starts '
  'name, until they are reset.';

create table tenuto.sweep_positions (
  sweep    text primary key,
  position uuid not null
);
comment on table tenuto.sweep_positions is
  'Where the sweeps that read a few rows per call continue (sweep_tasks, sweep_runs).';
