-- Backfills: partitions of a dataset that are computed again on request. Dispatchers start their tasks piece by piece.
create table tenuto.backfills (
  id                   uuid primary key,
  org_id               uuid not null,
  dataset_id           uuid not null,
  job_key              uuid not null,
  config_hash          text not null,      -- of the job, when the backfill was started
  keys                 jsonb not null,     -- how partitions are counted: {"kind": "time", "every": "day"}, …
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
  total                bigint not null,            -- partitions in its scope
  planned              bigint not null default 0,  -- of these, how many were started or skipped
  skipped              bigint not null default 0,
  started              bigint not null default 0,
  completed            bigint not null default 0,
  failed               bigint not null default 0,
  downstream_completed bigint not null default 0,
  downstream_failed    bigint not null default 0,
  is_planned           boolean not null default false,
  after_key            text,               -- the last committed partition that was looked at
  after_task           uuid,               -- the last open task that was looked at
  due_at               timestamptz,        -- of the next piece; null: nothing to do
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

create index backfills_dataset_idx on tenuto.backfills (org_id, dataset_id, id);
create index backfills_job_idx on tenuto.backfills (org_id, job_key);
create index backfills_due_idx on tenuto.backfills (due_at) where due_at is not null;

-- The tasks that a repair (a backfill) waits for, until their ends are counted; those that did not complete stay,
-- marked. Tasks that follow from their commits are among them.
create table tenuto.repair_tasks (
  repair_id     uuid not null,
  task_id       uuid not null,
  org_id        uuid not null,
  job_key       uuid not null,
  partition_key text not null,
  direct        boolean not null,   -- of the job of the repair; else it follows from a commit of such a task
  owned         boolean not null,   -- started by the repair, and by nothing else
  downstream    text not null,      -- which jobs react to its commits
  failed        boolean not null default false,
  primary key (repair_id, task_id),
  constraint downstream_is_known check (downstream in ('none', 'same', 'all'))
);

create index repair_tasks_task_idx on tenuto.repair_tasks (task_id);

-- Finds the newest task of a partition.
create index job_tasks_partition_idx on tenuto.job_tasks (org_id, job_key, partition_key, task_id);
drop index tenuto.job_tasks_job_idx;
