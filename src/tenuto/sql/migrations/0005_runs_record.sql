-- The record of work: written once or appended to. Cut into weeks by UUIDv7; ids that are not UUIDv7 go to the default partition.

-- Where a task waits and who may take it, as one number: what a worker serves is a list of these.
create table tenuto.routes (
  id        int generated always as identity primary key,
  org_id    uuid not null references tenuto.orgs (id),
  queue     text not null,
  type      text not null,
  language  text not null,
  labels    text[] not null,
  addresses text[] not null,
  paused    boolean not null default false,
  constraint route_is_unique unique (org_id, queue, type, language, labels, addresses),
  constraint queue_is_not_empty check (length(queue) between 1 and 256),
  constraint type_is_not_empty check (length(type) between 1 and 256)
);

create index routes_paused_idx on tenuto.routes (id) where paused;

create table tenuto.queues (
  org_id    uuid not null references tenuto.orgs (id),
  name      text not null,
  paused_at timestamptz,
  primary key (org_id, name)
);

-- One execution of a graph of tasks. For a run of one task ("alone") status and counts stay null: they are the task's.
create table tenuto.runs (
  id                  uuid not null,
  org_id              uuid not null,
  group_no            int not null,
  name                text,
  alone               boolean not null,
  status              text,
  fate                text,
  attempt             int not null default 1,
  max_attempts        int not null default 1,
  total               int,
  completed           int,
  failed              int,
  cancelled           int,
  skipped             int,
  spoiled             int,
  handlers            int not null default 0,
  failed_task_id      uuid,
  input               jsonb,
  metadata            jsonb,
  retry_of            uuid,
  next_retry_at       timestamptz,
  cancel_requested_at timestamptz,
  created_at          timestamptz not null,
  started_at          timestamptz,
  completed_at        timestamptz,
  constraint a_run_exists_once primary key (id),
  constraint status_is_known check (status in ('pending', 'running', 'retrying', 'completed', 'failed', 'cancelled')),
  constraint fate_is_known check (fate in ('completed', 'failed', 'cancelled')),
  constraint a_run_of_one_has_no_counts check (alone = (status is null) and alone = (total is null)),
  constraint a_final_run_has_a_time check ((status in ('completed', 'failed', 'cancelled')) = (completed_at is not null)),
  constraint retrying_has_a_time check ((status = 'retrying') = (next_retry_at is not null)),
  constraint attempts_are_in_bounds check (attempt between 1 and max_attempts and max_attempts <= 100)
) partition by range (id);

-- Not (org_id, id): that cost 0.75 µs a run against 0.1 µs. A large org's newest runs are read from the primary key's end.
create index runs_org_idx on tenuto.runs (org_id);
create index runs_open_idx on tenuto.runs (id) where status in ('pending', 'running', 'retrying');
create index runs_settle_idx on tenuto.runs (id) where status in ('pending', 'running', 'retrying') and (handlers > 0 or max_attempts > 1);
create index runs_retry_of_idx on tenuto.runs (retry_of) where retry_of is not null;

-- One unit of work: written once, never updated. What became of it is in the hot tables, then in task_attempts.
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
  constraint a_task_exists_once primary key (id),
  constraint max_attempts_is_between_1_and_100 check (max_attempts between 1 and 100),
  constraint max_losses_is_between_1_and_1000 check (max_losses between 1 and 1000),
  constraint backoff_is_not_negative check (backoff_seconds >= 0),
  constraint timeouts_are_positive check (timeout_seconds > 0 and heartbeat_timeout_seconds > 0),
  constraint handler_is_known check (handler in ('completed', 'failed', 'cancelled'))
) partition by range (id);

-- A run of one shares its id with its task, so only the tasks of larger runs need to be found by run.
create index tasks_run_idx on tenuto.tasks (run_id) where run_id <> id;
create index tasks_parent_idx on tenuto.tasks (parent_id) where parent_id is not null;
create index tasks_queue_job_idx on tenuto.tasks (org_id, queue_job_id) where queue_job_id is not null;

-- Every end of an attempt, and of a task that ended without one. end_no is 0 for the final end, else the attempt that
-- ended: so the primary key itself allows one final end per task, and one end per attempt.
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
  constraint a_task_ends_once primary key (task_id, end_no),
  constraint outcome_is_known check (outcome in
    ('completed', 'failed', 'cancelled', 'skipped', 'lost', 'retrying', 'snoozed', 'interrupted', 'waiting', 'forgotten')),
  constraint some_outcomes_are_final check ((end_no = 0) = (outcome in ('completed', 'failed', 'cancelled', 'skipped'))),
  constraint an_attempt_ends_under_its_own_number check (end_no in (0, attempt)),
  constraint reported_by_a_session check (not reported or session_id is not null)
) partition by range (task_id);

create index task_attempts_trouble_idx on tenuto.task_attempts (org_id, ended_at) where outcome in ('failed', 'retrying', 'lost');

create table tenuto.task_dependencies (
  parent_id uuid not null,
  child_id  uuid not null,
  org_id    uuid not null,
  runs_on   text not null,
  constraint an_edge_exists_once primary key (parent_id, child_id),
  constraint runs_on_is_known check (runs_on in ('completed', 'failed', 'continue')),
  constraint a_task_does_not_depend_on_itself check (parent_id <> child_id)
) partition by range (parent_id);

create index task_dependencies_child_idx on tenuto.task_dependencies (child_id);

-- Ordered, typed inputs and outputs of a task. An input is a value, a data object or another task's output.
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

create index task_slots_object_idx on tenuto.task_slots (object_id) where object_id is not null;

-- Which task outputs are the outputs of the run, in order.
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

-- What an attempt wrote to its log, capped by write_logs.
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

create table tenuto.dedupe_keys (
  org_id     uuid not null,
  scope      text not null,
  key        text not null,
  run_id     uuid not null,
  created_at timestamptz not null,
  constraint a_key_is_taken_once primary key (org_id, scope, key),
  constraint key_is_not_too_long check (length(key) between 1 and 1024)
);

create index dedupe_keys_run_idx on tenuto.dedupe_keys (run_id);

insert into tenuto.partitioned_tables (table_name, key_column)
values ('runs', 'id'), ('tasks', 'id'), ('task_attempts', 'task_id'), ('task_dependencies', 'parent_id'),
       ('task_slots', 'task_id'), ('task_logs', 'task_id');

create table tenuto.runs_default partition of tenuto.runs default;
create table tenuto.tasks_default partition of tenuto.tasks default;
create table tenuto.task_attempts_default partition of tenuto.task_attempts default;
create table tenuto.task_dependencies_default partition of tenuto.task_dependencies default;
create table tenuto.task_slots_default partition of tenuto.task_slots default;
create table tenuto.task_logs_default partition of tenuto.task_logs default;

-- What tasks of one kind have in common, as start_run reads it: type and options, resolved to a route.
create type tenuto.kind as (
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

-- The answer to one start of a batch: which run it is, and whether this call made it.
create type tenuto.started as (
  no      int,
  run_id  uuid,
  created boolean
);
