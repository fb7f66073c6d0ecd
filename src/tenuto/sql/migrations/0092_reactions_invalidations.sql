-- Invalidations: committed partitions of a dataset whose readers must compute their data again. Dispatchers pass them on
-- piece by piece, as events.
create table tenuto.data_invalidations (
  id          uuid primary key,
  org_id      uuid not null,
  dataset_id  uuid not null,
  keys        jsonb not null,   -- how partitions are counted, as in backfills
  first_key   text,
  last_key    text,
  partitions  text[],
  row_filter  jsonb,            -- which rows changed; passed to the tasks
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
  effect      text,             -- the key of the effect that routes the last piece
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

create index data_invalidations_dataset_idx on tenuto.data_invalidations (org_id, dataset_id, id);
create index data_invalidations_due_idx on tenuto.data_invalidations (due_at) where due_at is not null;

-- How far each job that reads the data has come. Jobs further down follow from their commits (direct is false).
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

create index invalidation_consumers_org_idx on tenuto.invalidation_consumers (org_id, invalidation_id);

-- The event of an invalidation has no task.
alter table tenuto.events alter column task_id drop not null;
