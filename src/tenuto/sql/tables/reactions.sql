-- Schedules, events and the reactions of jobs to them, builds of versions, backfills and invalidations.

create table tenuto.schedules (
  org_id         uuid not null references tenuto.orgs (id),
  name           text not null,
  kind           jsonb not null,
  input          jsonb,
  details        jsonb,
  cron           text not null,
  timezone       text not null,
  catch_up       text not null,
  jitter_seconds real not null,
  paused_at      timestamptz,
  next_at        timestamptz,
  last_at        timestamptz,
  created_at     timestamptz not null,
  -- Of a job with a cron or continuous source: dispatchers start tasks of the job. The schedule follows the current
  -- version of the DAG.
  job_key        uuid,
  -- The first time is still to be computed: it is the next one after this; next_at is when that was left to do.
  starts_after   timestamptz,
  continuous     boolean not null default false,   -- sees to the task that runs instead of starting one
  task_id        uuid,   -- of a continuous source: the newest one
  -- Of a job that backpressure holds: its times wait, and are not passed over as those of a paused job.
  held           boolean not null default false,
  primary key (org_id, name),
  constraint catch_up_is_known check (catch_up in ('skip', 'one', 'all')),
  constraint jitter_is_at_most_a_day check (jitter_seconds between 0 and 86400),
  constraint name_is_not_empty check (length(name) between 1 and 201),   -- two names of up to 100, and a slash
  constraint schedule_is_of_a_job foreign key (org_id, job_key) references tenuto.job_controls (org_id, job_key),
  constraint what_is_continuous_is_a_job check (not continuous or job_key is not null),
  constraint what_is_continuous_has_a_task check (continuous or task_id is null)
);
comment on table tenuto.schedules is
  'Tasks and jobs that start at times. Python computes the times; next_at is compared before it is set, so that '
  'each time fires once.';

create unique index schedules_job_idx on tenuto.schedules (org_id, job_key) where job_key is not null;
create index schedules_due_idx on tenuto.schedules (next_at) where paused_at is null and not held;

create table tenuto.events (
  id                 uuid not null,
  org_id             uuid not null,
  job_key            uuid not null,   -- the producer, and which of its outputs
  output             int not null,
  dag_version_id     uuid not null,
  dataset_id         uuid,   -- null: the output is not published
  dataset_version_id uuid,
  partition_key      text not null,   -- '' for an event without a partition
  fingerprint        text,   -- null: it was emitted, without data in a dataset
  task_id            uuid,
  data               jsonb,
  created_at         timestamptz not null,
  constraint an_event_exists_once primary key (id),
  constraint output_is_a_position check (output between 0 and 99),
  constraint a_dataset_has_a_version check ((dataset_id is null) = (dataset_version_id is null)),
  constraint partition_key_is_not_too_long check (octet_length(partition_key) <= 256),
  constraint fingerprint_is_a_hash check (fingerprint ~ '^[0-9a-f]{64}$'),
  constraint data_is_an_object check (jsonb_typeof(data) = 'object')
) partition by range (id);
comment on table tenuto.events is
  'Events: an output of a job has changed, or a task emitted one. Their ids are those of the partition versions, or '
  'new UUIDv7. The partitions are dropped with the tasks of their week.';

create index events_org_idx on tenuto.events (org_id, id);
create index events_dataset_idx on tenuto.events (org_id, dataset_id, id);

create table tenuto.events_default partition of tenuto.events default;
insert into tenuto.partitioned_tables (table_name, key_column) values ('events', 'id');

create table tenuto.event_reactions (
  event_id       uuid not null,
  job_id         uuid not null,
  org_id         uuid not null,
  job_key        uuid not null,
  dag_version_id uuid not null,
  partition_key  text not null,   -- of the task
  reaction       text not null,
  reason         text,
  task_id        uuid,
  created_at     timestamptz not null,
  constraint a_job_reacts_once primary key (event_id, job_id),
  constraint reaction_is_known check (reaction in ('triggered', 'deduped', 'filtered', 'paused', 'stale')),
  constraint a_task_is_named check ((reaction in ('triggered', 'deduped')) = (task_id is not null)),
  constraint other_reactions_have_a_reason check (reaction in ('triggered', 'deduped') or reason is not null),
  constraint reason_is_not_too_long check (octet_length(reason) <= 1024)
) partition by range (event_id);
comment on table tenuto.event_reactions is
  'The effect of an event on a job that reads the output, and its reason: one row per event and job of a version.';

create index event_reactions_job_idx on tenuto.event_reactions (org_id, job_key, event_id);
-- Events that wait for a cutover or for a paused job.
create index event_reactions_paused_idx on tenuto.event_reactions (org_id, job_id, event_id)
  where reaction = 'paused';

create table tenuto.event_reactions_default partition of tenuto.event_reactions default;
insert into tenuto.partitioned_tables (table_name, key_column) values ('event_reactions', 'event_id');

-- The reaction of one job to an event, before it is written.
create type tenuto.event_decision as (
  event_id       uuid,
  job_id         uuid,
  job_key        uuid,
  dag_version_id uuid,
  rebuild        boolean,
  partitions     text[],
  reaction       text,
  reason         text
);

-- A task that an event starts, or finds queued.
create type tenuto.event_start as (
  event_id  uuid,
  partition text,
  task_id   uuid,
  is_first  boolean
);

-- An event that an effect names, and its place in the effect.
create type tenuto.event_place as (
  effect_id bigint,
  org_id    uuid,
  no        int,
  event_id  uuid
);

create table tenuto.webhooks (
  org_id     uuid not null,
  job_key    uuid not null,
  path       text,   -- null while no current version has the source
  rotation   int not null default 0,   -- another number gives another secret
  created_at timestamptz not null,
  primary key (org_id, job_key),
  constraint webhook_is_of_a_job foreign key (org_id, job_key) references tenuto.job_controls (org_id, job_key),
  -- Checked at the end of a statement: a cutover may exchange the paths of two jobs.
  constraint path_has_one_job unique (org_id, path) deferrable initially immediate,
  constraint path_is_short_and_plain check (path ~ '^/[a-z0-9][a-z0-9_/-]{0,199}$')
);
comment on table tenuto.webhooks is
  'Webhooks of jobs. A row outlives the versions of its DAG, so that senders keep their secret. Servers derive the '
  'secret from the row; it is stored nowhere.';

create table tenuto.builds (
  dag_version_id uuid primary key,
  org_id         uuid not null,
  phase          text not null,
  due_at         timestamptz,   -- of the next piece; null: nothing to do
  position       uuid,   -- the last task of the piece before
  planned        bigint not null default 0,
  completed      bigint not null default 0,
  failed         bigint not null default 0,
  error          text,   -- why the version failed, or was not made current
  cutover_from   int,   -- the version to replace when this one is ready; null: it waits for a cutover
  actor          text,   -- in whose name
  replaced       uuid,   -- the version that was current before, if this one has to catch up with it
  cancel_until   timestamptz,   -- tasks that were being started at the rollback appear until then
  constraint build_is_of_a_version foreign key (org_id, dag_version_id) references tenuto.dag_versions (org_id, id),
  constraint phase_is_known check (phase in ('start', 'follow', 'retry', 'catch_up', 'cancel', 'done')),
  constraint only_what_is_done_is_not_due check ((phase = 'done') = (due_at is null)),
  constraint a_cancel_ends check ((phase = 'cancel') = (cancel_until is not null)),
  constraint a_cutover_has_an_actor check (cutover_from is null or actor is not null),
  constraint counts_are_not_negative check (planned >= 0 and completed >= 0 and failed >= 0)
);
comment on table tenuto.builds is
  'Work of dispatchers for versions of DAGs, piece by piece: they start the tasks that compute a new version, count '
  'their ends, and cancel the tasks of a version that was rolled back.';

create index builds_version_idx on tenuto.builds (org_id, dag_version_id);
create index builds_due_idx on tenuto.builds (due_at) where due_at is not null;

create table tenuto.build_inputs (
  dag_version_id     uuid not null,
  job_id             uuid not null,
  input              int not null,
  org_id             uuid not null,
  dataset_version_id uuid not null,
  after_partition    text,
  primary key (dag_version_id, job_id, input),
  constraint input_is_of_a_job foreign key (org_id, job_id) references tenuto.jobs (org_id, id)
);
comment on table tenuto.build_inputs is
  'The inputs whose partitions a build has not yet passed to a job. Input -1 stands for the partitions that a '
  'source published before.';

create index build_inputs_job_idx on tenuto.build_inputs (org_id, job_id);

create table tenuto.backfills (
  id                   uuid primary key,
  org_id               uuid not null,
  dataset_id           uuid not null,
  job_key              uuid not null,
  config_hash          text not null,   -- of the job, when the backfill was started
  keys                 jsonb not null,   -- how partitions are counted: {"kind": "time", "every": "day"}, …
  first_key            text,
  last_key             text,
  partitions           text[],
  reprocess            text not null,
  downstream           text not null,
  concurrency          int not null,
  descending           boolean not null,
  reason               text,
  created_by           text not null,
  status               text not null,
  error                text,
  total                bigint not null,   -- partitions in its scope
  planned              bigint not null default 0,   -- of these, how many were started or skipped
  skipped              bigint not null default 0,
  started              bigint not null default 0,
  completed            bigint not null default 0,
  failed               bigint not null default 0,
  downstream_completed bigint not null default 0,
  downstream_failed    bigint not null default 0,
  is_planned           boolean not null default false,
  after_key            text,   -- the last committed partition that was looked at
  after_task           uuid,   -- the last open task that was looked at
  due_at               timestamptz,   -- of the next piece; null: nothing to do
  moved_at             timestamptz not null,
  created_at           timestamptz not null,
  ended_at             timestamptz,
  constraint backfill_belongs_to_its_org unique (org_id, id),
  constraint backfill_is_of_a_dataset foreign key (org_id, dataset_id) references tenuto.datasets (org_id, id),
  constraint backfill_is_of_a_job foreign key (org_id, job_key) references tenuto.job_controls (org_id, job_key),
  constraint a_range_has_both_ends check ((first_key is null) = (last_key is null)),
  constraint scope_is_a_range_or_a_list check ((first_key is null) <> (partitions is null)),
  constraint partitions_are_up_to_1000 check (cardinality(partitions) <= 1000),
  constraint keys_are_not_too_long check (octet_length(first_key) <= 256 and octet_length(last_key) <= 256),
  constraint reprocess_is_known check (reprocess in ('none', 'failed', 'all')),
  constraint downstream_is_known check (downstream in ('none', 'same', 'all')),
  constraint concurrency_is_bounded check (concurrency between 1 and 1000),
  constraint reason_is_not_too_long check (octet_length(reason) <= 1024),
  constraint status_is_known
    check (status in ('running', 'paused', 'cancelling', 'completed', 'failed', 'cancelled')),
  constraint only_what_has_ended_is_not_due
    check ((status in ('completed', 'failed', 'cancelled')) = (due_at is null)),
  constraint only_what_has_ended_has_an_end
    check ((status in ('completed', 'failed', 'cancelled')) = (ended_at is not null)),
  constraint counts_are_not_negative check (total >= 0 and planned >= 0 and completed >= 0 and failed >= 0)
);
comment on table tenuto.backfills is
  'Partitions of a dataset that are computed again on request. Dispatchers start their tasks piece by piece.';

create index backfills_dataset_idx on tenuto.backfills (org_id, dataset_id, id);
create index backfills_job_idx on tenuto.backfills (org_id, job_key);
create index backfills_due_idx on tenuto.backfills (due_at) where due_at is not null;
-- Finds backfills that ended long ago, which are deleted.
create index backfills_ended_idx on tenuto.backfills (org_id, ended_at) where ended_at is not null;

create table tenuto.repair_tasks (
  repair_id     uuid not null,
  task_id       uuid not null,
  org_id        uuid not null,
  job_key       uuid not null,
  partition_key text not null,
  direct        boolean not null,   -- of the job of the repair; else it follows from a commit of such a task
  owned         boolean not null,   -- started by the repair, and by nothing else
  downstream    text not null,   -- which jobs react to its commits
  failed        boolean not null default false,
  primary key (repair_id, task_id),
  constraint downstream_is_known check (downstream in ('none', 'same', 'all'))
);
comment on table tenuto.repair_tasks is
  'The tasks that a backfill waits for, and those that follow from their commits, until their ends are counted. '
  'Those that did not complete stay, marked.';

create index repair_tasks_task_idx on tenuto.repair_tasks (task_id);

create table tenuto.data_invalidations (
  id          uuid primary key,
  org_id      uuid not null,
  dataset_id  uuid not null,
  keys        jsonb not null,   -- how partitions are counted, as in backfills
  first_key   text,
  last_key    text,
  partitions  text[],
  row_filter  jsonb,   -- which rows changed; passed to the tasks
  reason      text not null,
  created_by  text not null,
  status      text not null,
  error       text,
  total       bigint not null,
  planned     bigint not null default 0,
  invalidated bigint not null default 0,   -- of the planned ones, how many are committed
  is_planned  boolean not null default false,
  after_key   text,
  after_task  uuid,
  effect      text,   -- the key of the effect that routes the last piece
  due_at      timestamptz,
  moved_at    timestamptz not null,
  created_at  timestamptz not null,
  ended_at    timestamptz,
  constraint invalidation_belongs_to_its_org unique (org_id, id),
  constraint invalidation_is_of_a_dataset foreign key (org_id, dataset_id) references tenuto.datasets (org_id, id),
  constraint a_range_has_both_ends check ((first_key is null) = (last_key is null)),
  constraint scope_is_a_range_or_a_list check ((first_key is null) <> (partitions is null)),
  constraint partitions_are_up_to_1000 check (cardinality(partitions) <= 1000),
  constraint filter_is_an_object check (jsonb_typeof(row_filter) = 'object' and pg_column_size(row_filter) <= 16384),
  constraint reason_is_not_too_long check (octet_length(reason) between 1 and 1024),
  constraint status_is_known check (status in ('running', 'completed', 'failed')),
  constraint only_what_has_ended_is_not_due check ((status = 'running') = (due_at is not null)),
  constraint only_what_has_ended_has_an_end check ((status = 'running') = (ended_at is null))
);
comment on table tenuto.data_invalidations is
  'Committed partitions of a dataset whose readers must compute their data again. Dispatchers pass them on piece by '
  'piece, as events.';

create index data_invalidations_dataset_idx on tenuto.data_invalidations (org_id, dataset_id, id);
create index data_invalidations_due_idx on tenuto.data_invalidations (due_at) where due_at is not null;
create index data_invalidations_ended_idx on tenuto.data_invalidations (org_id, ended_at) where ended_at is not null;

create table tenuto.invalidation_consumers (
  invalidation_id uuid not null,
  job_key         uuid not null,
  direct          boolean not null,
  org_id          uuid not null,
  completed       bigint not null default 0,
  failed          bigint not null default 0,
  done_at         timestamptz,
  primary key (invalidation_id, job_key, direct),
  constraint consumer_is_of_an_invalidation foreign key (org_id, invalidation_id)
    references tenuto.data_invalidations (org_id, id) on delete cascade
);
comment on table tenuto.invalidation_consumers is
  'How far each job that reads invalidated data has come. Jobs further down follow from the commits of these jobs '
  '(direct is false).';

create index invalidation_consumers_org_idx on tenuto.invalidation_consumers (org_id, invalidation_id);

create table tenuto.reader_updates (
  dag_version_id  uuid not null,
  dataset_id      uuid not null,
  org_id          uuid not null,
  after_partition text,
  -- Several, if there was another cutover before the last one was passed on: readers may have read any of them.
  old_version_ids uuid[] not null,
  primary key (dag_version_id, dataset_id),
  constraint update_is_of_a_version foreign key (org_id, dag_version_id) references tenuto.dag_versions (org_id, id),
  constraint update_is_of_a_dataset foreign key (org_id, dataset_id) references tenuto.datasets (org_id, id)
);
comment on table tenuto.reader_updates is
  'Datasets whose current version a cutover or rollback has changed, and that jobs of other DAGs read: dispatchers '
  'write an event for each partition that differs from the old version, piece by piece.';

create index reader_updates_version_idx on tenuto.reader_updates (org_id, dag_version_id);
create index reader_updates_dataset_idx on tenuto.reader_updates (org_id, dataset_id);
