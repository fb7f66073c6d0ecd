-- Metadata of tasks that was changed after the start. The table tasks is written once, and claims do not read this one:
-- a worker receives the metadata with which the task was started.
create table tenuto.task_metadata (
  task_id    uuid not null,
  org_id     uuid not null,
  metadata   jsonb not null,
  changed_at timestamptz not null,
  constraint metadata_of_a_task_is_changed_in_one_row primary key (task_id),
  constraint metadata_is_an_object check (jsonb_typeof(metadata) = 'object'),
  constraint metadata_fits_in_a_megabyte check (pg_column_size(metadata) <= 1048576)
);

-- For lists by metadata. Rows without metadata, which are most, are not in the indexes. Without fastupdate: a list
-- would read the pending entries one by one, and a start would sort them in.
create index task_metadata_found_idx on tenuto.task_metadata
  using gin (metadata jsonb_path_ops) with (fastupdate = off);
create index runs_metadata_idx on tenuto.runs
  using gin (metadata jsonb_path_ops) with (fastupdate = off) where metadata is not null;
create index tasks_metadata_idx on tenuto.tasks
  using gin (metadata jsonb_path_ops) with (fastupdate = off) where metadata is not null;
