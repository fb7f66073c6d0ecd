-- Processes: those that run tasks, the pools they belong to, and those that run the loops.

create table tenuto.pools (
  id                            uuid primary key,
  org_id                        uuid not null references tenuto.orgs (id),
  name                          text not null,
  provider                      text not null,
  min_workers                   int not null default 0,
  max_workers                   int not null,
  spare_workers                 int not null default 0,
  idle_timeout_seconds          real not null default 300,
  settings                      jsonb not null default '{}',
  paused_at                     timestamptz,
  created_at                    timestamptz not null,
  -- Which tasks its workers can run; null: those of all queues, and of all types.
  queues                        text[],
  types                         text[],
  labels                        text[] not null default '{}',
  tasks_per_worker              int not null default 1,
  scale_up_multiplier           float8 not null default 1,
  scale_down_multiplier         float8 not null default 1,
  over_capacity_timeout_seconds float8 not null default 30,
  scale_down_grace_seconds      float8 not null default 60,
  starting_grace_seconds        float8 not null default 180,
  spawn_timeout_seconds         float8 not null default 600,
  max_failure_rate              float8 not null default 0.8,
  failure_window_seconds        float8 not null default 300,
  min_spawns_for_rate           int not null default 5,
  tiers                         jsonb not null default '[]',
  -- The dispatcher that controls the pool, until when, and the last problem that its provider raised.
  decision_no                   bigint not null default 0,
  controlled_by                 uuid,
  controlled_until              timestamptz,
  scaled_down_at                timestamptz,
  problem                       text,
  problem_at                    timestamptz,
  problems                      int not null default 0,
  requested                     int not null default 0,   -- machines requested by hand, not started by a decision yet
  constraint pool_exists_once unique (org_id, name),
  constraint pool_belongs_to_its_org unique (org_id, id),
  constraint name_is_not_empty check (length(name) between 1 and 256),
  constraint provider_is_not_empty check (length(provider) between 1 and 256),
  constraint sizes_are_in_order
    check (min_workers between 0 and max_workers and spare_workers between 0 and max_workers),
  constraint idle_timeout_is_not_negative check (idle_timeout_seconds between 0 and 315360000),
  constraint settings_are_an_object check (jsonb_typeof(settings) = 'object'),
  constraint settings_fit_in_a_megabyte check (pg_column_size(settings) <= 1048576),
  constraint max_workers_is_at_most_10000 check (max_workers <= 10000),
  constraint tasks_per_worker_is_positive check (tasks_per_worker between 1 and 10000),
  constraint multipliers_are_positive check (
    scale_up_multiplier between 0.001 and 1000 and scale_down_multiplier between 0.001 and 1000),
  constraint times_are_not_negative check (
    over_capacity_timeout_seconds between 0 and 315360000 and scale_down_grace_seconds between 0 and 315360000
    and starting_grace_seconds between 0 and 315360000 and spawn_timeout_seconds between 1 and 315360000
    and failure_window_seconds between 1 and 315360000),
  constraint failure_rate_is_a_share check (max_failure_rate between 0 and 1),
  constraint rate_needs_spawns check (min_spawns_for_rate between 1 and 10000),
  constraint tiers_are_a_list check (jsonb_typeof(tiers) = 'array'),
  constraint tiers_fit_in_64_kilobytes check (pg_column_size(tiers) <= 65536),
  constraint a_problem_has_a_time check ((problem is null) = (problem_at is null)),
  constraint requested_is_up_to_1000 check (requested between 0 and 1000)
);
comment on table tenuto.pools is
  'Groups of workers with one scaling policy, the dispatcher that controls each, and the last problem of its '
  'provider.';

create table tenuto.workers (
  org_id           uuid not null references tenuto.orgs (id),
  id               text not null,
  instance_type    text not null default 'worker',
  status           text not null,
  address          text,
  labels           text[] not null default '{}',
  languages        text[] not null default '{python}',
  metadata         jsonb not null default '{}',
  created_at       timestamptz not null,
  last_heartbeat   timestamptz,
  drained_at       timestamptz,
  drain_reason     text,
  error            text,
  terminated_at    timestamptz,
  error_at         timestamptz,   -- a worker that failed is terminated after a grace
  log_lines        bigint not null default 0,   -- lines in worker_logs so far; heartbeats bring them
  -- machine: the worker that stands for the machine, null if it is this one. provider_id: what the provider calls the
  -- machine. busy_at: when a decision last saw it run tasks. machine_ended_at: since when the provider no longer runs
  -- it.
  pool_id          uuid,
  machine          text,
  provider_id      text,
  busy_at          timestamptz,
  machine_ended_at timestamptz,
  diagnostics      jsonb,
  -- given_up_at: since when the provider is asked to end the machine of this worker; it cannot register any more.
  -- registered_at: when the machine registered for the first time.
  given_up_at      timestamptz,
  registered_at    timestamptz,
  primary key (org_id, id),
  constraint id_is_not_empty check (length(id) between 1 and 256),
  constraint status_is_known check (status in ('starting', 'active', 'draining', 'error', 'terminated')),
  constraint draining_has_a_time check (status <> 'draining' or drained_at is not null),
  constraint terminated_has_a_time check ((status = 'terminated') = (terminated_at is not null)),
  constraint error_says_why check (status <> 'error' or error is not null),
  constraint metadata_is_an_object check (jsonb_typeof(metadata) = 'object'),
  constraint error_has_a_time check (status <> 'error' or error_at is not null),
  constraint provider_id_is_short check (octet_length(provider_id) <= 1024),
  constraint diagnostics_fit_in_64_kilobytes check (pg_column_size(diagnostics) <= 65536),
  constraint worker_is_of_a_pool foreign key (org_id, pool_id) references tenuto.pools (org_id, id)
    on update cascade on delete set null (pool_id)
) with (fillfactor = 70);
comment on table tenuto.workers is
  'Processes that run tasks, and the machines that pools request for them.';

create index workers_open_idx on tenuto.workers (status, last_heartbeat) where status <> 'terminated';
create index workers_pool_idx on tenuto.workers (org_id, pool_id) where pool_id is not null;
create index workers_machine_idx on tenuto.workers (org_id, machine) where machine is not null;
-- The machines that run, among all of two weeks; and for failure rates, when machines registered or failed to.
create index workers_running_machines_idx on tenuto.workers (org_id, pool_id)
  where pool_id is not null and machine_ended_at is null;
create index workers_registered_idx on tenuto.workers (org_id, pool_id, registered_at)
  where machine is null and registered_at is not null;
create index workers_failed_starts_idx on tenuto.workers (org_id, pool_id, coalesce(error_at, terminated_at))
  where machine is null and last_heartbeat is null and error is not null;

create table tenuto.sessions (
  id            bigint generated always as identity primary key,
  org_id        uuid not null,
  worker_id     text not null,
  token         uuid not null,
  lease_seconds real not null,
  started_at    timestamptz not null,
  expires_at    timestamptz not null,
  ended_at      timestamptz,
  end_reason    text,
  -- Of sessions that were opened over HTTP: the key, and the queues from which they may claim (null: all).
  worker_key_id uuid,
  queues        text[],
  -- The code version that a worker registered with belongs to that life of it: under the same id, the next one may run
  -- other code, or none yet.
  code_version  text,
  -- The processes of a session, as their worker states them: {"host": …, "ids": [process, …]}. A dispatcher on the same
  -- host that sees that they have ended ends the lease of the session at once.
  process       jsonb,
  constraint session_belongs_to_a_worker foreign key (org_id, worker_id) references tenuto.workers (org_id, id),
  constraint lease_is_between_a_second_and_a_day check (lease_seconds between 1 and 86400),
  constraint ended_says_why check ((ended_at is null) = (end_reason is null)),
  constraint end_reason_is_known check (end_reason in ('closed', 'expired', 'replaced', 'terminated', 'failed')),
  constraint session_was_opened_with_a_key_of_its_org foreign key (org_id, worker_key_id)
    references tenuto.worker_keys (org_id, id),
  constraint code_version_is_short check (length(code_version) <= 64),
  constraint process_is_a_short_object check (
    jsonb_typeof(process) = 'object' and octet_length(process::text) <= 500)
) with (fillfactor = 50);
comment on table tenuto.sessions is
  'Lives of worker processes. The lease of a session covers all attempts that it holds; an ended session never '
  'revives.';

create index sessions_worker_idx on tenuto.sessions (org_id, worker_id);
create index sessions_open_idx on tenuto.sessions (expires_at) where ended_at is null;
-- Sessions that have just ended, whose attempts are to be given back; and old ones, to be pruned.
create index sessions_ended_idx on tenuto.sessions (ended_at) where ended_at is not null;
create index sessions_worker_key_idx on tenuto.sessions (org_id, worker_key_id) where worker_key_id is not null;
create index sessions_host_idx on tenuto.sessions ((process ->> 'host')) where process is not null and ended_at is null;

create table tenuto.dispatchers (
  id         uuid primary key,
  address    text not null,
  port       int not null,
  heartbeat  timestamptz not null,
  started_at timestamptz not null,
  constraint port_is_a_port check (port between 0 and 65535)
);
comment on table tenuto.dispatchers is
  'Processes that run the loops.';

create table tenuto.scaling_decisions (
  id         uuid primary key,
  org_id     uuid not null,
  pool_id    uuid not null,
  decided_at timestamptz not null,
  workers    int not null,
  wanted     int not null,
  reason     text not null,
  facts      jsonb not null default '{}',
  constraint sizes_are_not_negative check (workers >= 0 and wanted >= 0),
  constraint reason_is_not_empty check (length(reason) between 1 and 1024),
  constraint facts_are_an_object check (jsonb_typeof(facts) = 'object'),
  constraint facts_fit_in_a_megabyte check (pg_column_size(facts) <= 1048576),
  constraint decision_is_about_a_pool foreign key (org_id, pool_id) references tenuto.pools (org_id, id)
    on update cascade on delete cascade
);
comment on table tenuto.scaling_decisions is
  'Decisions about the sizes of pools, with the facts from which they were made. Only appended to; prune_workers '
  'deletes old ones.';

create index scaling_decisions_pool_idx on tenuto.scaling_decisions (org_id, pool_id, decided_at);
create index scaling_decisions_age_idx on tenuto.scaling_decisions (decided_at);

create table tenuto.loop_leases (
  loop          text primary key check (length(loop) between 1 and 256),
  dispatcher_id uuid not null,
  expires_at    timestamptz not null
) with (fillfactor = 50);
comment on table tenuto.loop_leases is
  'Which dispatcher runs a loop, and until when; the others leave the loop alone. Every loop is safe on several '
  'dispatchers at once, so a lease saves work and decides nothing.';

create table tenuto.worker_logs (
  org_id    uuid not null,
  worker_id text not null,
  line_no   bigint not null,
  logged_at timestamptz not null,
  level     text not null,
  message   text not null,
  constraint line_exists_once primary key (org_id, worker_id, line_no),
  constraint line_is_of_a_worker foreign key (org_id, worker_id) references tenuto.workers (org_id, id)
    on delete cascade,
  constraint level_is_short check (length(level) between 1 and 32),
  constraint message_is_up_to_4000_characters check (length(message) <= 4000)
);
comment on table tenuto.worker_logs is
  'The newest log lines of each worker. line_no counts up; _write_worker_logs bounds their number, and they are '
  'deleted after 48 hours.';

create index worker_logs_age_idx on tenuto.worker_logs (logged_at);
