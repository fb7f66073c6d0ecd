-- Datasets, their versions, the data that attempts published, and its lineage.

create table tenuto.datasets (
  id                 uuid primary key,
  org_id             uuid not null,
  name               text not null,
  dag_id             uuid not null,
  job_key            uuid,
  output             int,
  -- No foreign key and no index, so that a cutover updates rows in place (20 instead of 50 ms for 1,000 datasets). It
  -- is copied from dag_version_datasets, which has the foreign key.
  current_version_id uuid,
  read_roles         uuid[] not null default '{}',
  created_at         timestamptz not null,
  updated_at         timestamptz not null,
  deleted_at         timestamptz,
  constraint dataset_belongs_to_its_org unique (org_id, id),
  -- Checked at the end of a statement: a cutover may exchange the names or the producers of two datasets.
  constraint output_has_one_dataset unique (org_id, job_key, output) deferrable initially immediate,
  constraint dataset_is_of_a_dag foreign key (org_id, dag_id) references tenuto.dags (org_id, id),
  constraint producer_is_a_job foreign key (org_id, job_key) references tenuto.job_controls (org_id, job_key),
  constraint name_is_short_and_plain check (name ~ '^[a-z][a-z0-9_]{0,127}$'),
  constraint a_producer_has_an_output check ((job_key is null) = (output is null)),
  constraint what_is_current_has_a_producer check (current_version_id is null or job_key is not null),
  constraint output_is_a_position check (output between 0 and 99),
  constraint roles_are_up_to_100 check (cardinality(read_roles) <= 100),
  constraint what_is_deleted_has_no_producer check (deleted_at is null or job_key is null)
) with (fillfactor = 45);   -- a cutover writes every row of a DAG again, in the same page and without new index entries
comment on table tenuto.datasets is
  'Datasets. The row of a deleted dataset stays, because tasks and lineage name it; its name is free again.';

create index datasets_dag_idx on tenuto.datasets (org_id, dag_id);
alter table tenuto.datasets add constraint dataset_exists_once
  unique nulls not distinct (org_id, name, deleted_at) deferrable initially immediate;

create table tenuto.dataset_versions (
  id                 uuid primary key,
  org_id             uuid not null,
  dataset_id         uuid not null,
  config_hash        text not null,
  schema_hash        text,
  range_start        bigint,
  range_end          bigint,
  storage            jsonb not null,
  storage_location   text not null,
  created_at         timestamptz not null,
  purged_at          timestamptz,
  -- When the folder of a version was last searched for files of attempts that committed nothing.
  staging_checked_at timestamptz not null default now(),
  constraint dataset_version_belongs_to_its_org unique (org_id, id),
  constraint version_is_of_a_dataset foreign key (org_id, dataset_id) references tenuto.datasets (org_id, id),
  constraint config_hash_is_a_hash check (config_hash ~ '^[0-9a-f]{64}$'),
  constraint schema_hash_is_a_hash check (schema_hash ~ '^[0-9a-f]{64}$'),
  constraint range_has_both_ends check ((range_start is null) = (range_end is null)),
  constraint range_is_not_empty check (range_start < range_end),
  constraint location_is_a_folder check (storage_location like '%/')
);
comment on table tenuto.dataset_versions is
  'Versions of datasets: one per definition and range. The row of a purged version stays, because versions of DAGs '
  'name it; dispatchers delete its data. A definition whose version was purged gets a new version when it is '
  'deployed again.';

create unique index dataset_versions_definition_idx on tenuto.dataset_versions
  (org_id, dataset_id, config_hash, range_start, range_end) nulls not distinct
  where purged_at is null;
create index dataset_versions_dataset_idx on tenuto.dataset_versions (org_id, dataset_id, id);
create index dataset_versions_staging_idx on tenuto.dataset_versions (staging_checked_at) where purged_at is null;

create table tenuto.dag_version_datasets (
  org_id             uuid not null,
  dag_version_id     uuid not null,
  dataset_id         uuid not null,
  dataset_version_id uuid not null,
  name               text not null,
  job_key            uuid not null,
  output             int not null,
  primary key (org_id, dag_version_id, dataset_id),
  constraint set_is_of_a_version foreign key (org_id, dag_version_id) references tenuto.dag_versions (org_id, id),
  constraint set_names_a_dataset foreign key (org_id, dataset_id) references tenuto.datasets (org_id, id),
  constraint set_names_a_dataset_version foreign key (org_id, dataset_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint set_names_a_job foreign key (org_id, job_key) references tenuto.job_controls (org_id, job_key),
  constraint set_has_a_name_once unique (org_id, dag_version_id, name),
  constraint set_has_an_output_once unique (org_id, dag_version_id, job_key, output)
);
comment on table tenuto.dag_version_datasets is
  'The datasets that a version of a DAG publishes, as they are while it is current.';

create index dag_version_datasets_dataset_idx on tenuto.dag_version_datasets (org_id, dataset_id);
create index dag_version_datasets_version_idx on tenuto.dag_version_datasets (org_id, dataset_version_id);
create index dag_version_datasets_job_idx on tenuto.dag_version_datasets (org_id, job_key);

create table tenuto.job_inputs (
  org_id         uuid not null,
  job_id         uuid not null,
  no             int not null,
  dataset_id     uuid,
  parent_key     uuid,
  output         int,
  definition     jsonb not null,
  -- Of the job: the consumers of a dataset are looked up among the versions that count now, not among all.
  dag_version_id uuid not null,
  primary key (org_id, job_id, no),
  constraint input_is_of_a_job foreign key (org_id, job_id) references tenuto.jobs (org_id, id),
  constraint input_names_a_dataset foreign key (org_id, dataset_id) references tenuto.datasets (org_id, id),
  constraint input_names_a_job foreign key (org_id, parent_key) references tenuto.job_controls (org_id, job_key),
  constraint input_has_a_source check (dataset_id is not null or parent_key is not null),
  constraint input_is_of_a_version foreign key (org_id, dag_version_id) references tenuto.dag_versions (org_id, id)
);
comment on table tenuto.job_inputs is
  'The inputs of the jobs of a version; kept for lineage and for events.';

create index job_inputs_consumers_idx on tenuto.job_inputs (org_id, dataset_id, dag_version_id);
create index job_inputs_children_idx on tenuto.job_inputs (org_id, parent_key, dag_version_id);
create index job_inputs_version_idx on tenuto.job_inputs (org_id, dag_version_id);

create table tenuto.job_outputs (
  org_id     uuid not null,
  job_id     uuid not null,
  no         int not null,
  dataset_id uuid,
  definition jsonb not null,
  primary key (org_id, job_id, no),
  constraint output_is_of_a_job foreign key (org_id, job_id) references tenuto.jobs (org_id, id),
  constraint output_names_a_dataset foreign key (org_id, dataset_id) references tenuto.datasets (org_id, id)
);
comment on table tenuto.job_outputs is
  'The outputs of the jobs of a version; kept for lineage and for events.';

create index job_outputs_dataset_idx on tenuto.job_outputs (org_id, dataset_id);

create table tenuto.partition_versions (
  id                 uuid primary key,
  org_id             uuid not null,
  dataset_version_id uuid not null,
  partition_key      text not null,   -- '' for a dataset without partitions
  task_id            uuid not null,
  attempt            int not null,
  location           text not null,
  rows               bigint,
  bytes              bigint,
  fingerprint        text not null,
  schema_hash        text,
  checks             jsonb not null,
  inputs             jsonb not null,
  committed_at       timestamptz not null,
  -- Which computation made a partition version: a hash of the job, its definition, the partition of the task and what
  -- the task read. A task that would compute the same again takes this data instead. Null if it cannot be known.
  memo               bytea,
  constraint partition_version_belongs_to_its_org unique (org_id, id),
  constraint partition_is_of_a_dataset_version foreign key (org_id, dataset_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint partition_key_is_not_too_long check (octet_length(partition_key) <= 256),
  constraint location_is_a_folder check (location like '%/'),
  constraint counts_are_not_negative check (rows >= 0 and bytes >= 0),
  constraint fingerprint_is_a_hash check (fingerprint ~ '^[0-9a-f]{64}$'),
  constraint schema_hash_is_a_hash check (schema_hash ~ '^[0-9a-f]{64}$'),
  constraint checks_are_a_list check (jsonb_typeof(checks) = 'array'),
  constraint inputs_are_a_list check (jsonb_typeof(inputs) = 'array')
);
comment on table tenuto.partition_versions is
  'Data that attempts published: one row per commit of a partition. Tasks are deleted earlier than data, so there is '
  'no foreign key to them.';

create index partition_versions_dataset_idx on tenuto.partition_versions
  (org_id, dataset_version_id, partition_key, id);
-- Whether an attempt has committed is asked by its task.
create index partition_versions_task_idx on tenuto.partition_versions (task_id);
create index partition_versions_memo_idx on tenuto.partition_versions (org_id, memo) where memo is not null;
-- Finds the newest commit of a dataset version. On the text of its id, so that the planner does not take it for
-- look-ups of a partition: there it reads every commit of the dataset.
create index partition_versions_newest_idx on tenuto.partition_versions ((dataset_version_id::text), committed_at);

create table tenuto.current_partitions (
  org_id               uuid not null,
  dataset_version_id   uuid not null,
  partition_key        text not null,
  partition_version_id uuid not null,
  task_id              uuid not null,
  primary key (org_id, dataset_version_id, partition_key)
) with (fillfactor = 70);
comment on table tenuto.current_partitions is
  'Which commit of a partition readers see: one pointer per partition of a dataset version. It moves in place, so '
  'there is no index besides the primary key.';

-- The outputs that one accepted task published, as _commit_outputs takes them.
create type tenuto.task_outputs as (
  org_id         uuid,
  dag_version_id uuid,
  job_key        uuid,
  task_id        uuid,
  attempt        int,
  inputs         jsonb,
  published      jsonb,
  memo           bytea
);

create table tenuto.row_sets (
  id                 uuid primary key,
  org_id             uuid not null,
  dataset_version_id uuid not null,
  location           text not null,
  task_id            uuid not null,
  attempt            int not null,
  pages              int not null,
  committed          boolean not null default false,   -- set by collect_rows when it has seen the commit
  created_at         timestamptz not null,
  constraint a_location_has_one_row_set unique (org_id, location),
  constraint row_set_is_of_a_dataset_version foreign key (org_id, dataset_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint location_is_a_folder check (location like '%/'),
  constraint pages_are_bounded check (pages between 0 and 1000)
);
comment on table tenuto.row_sets is
  'The rows that one attempt wrote to one location of a dataset that is stored in Postgres, in a table per version '
  'in the schema tenuto_data. Readers see its rows once a commit names the location.';

create index row_sets_dataset_idx on tenuto.row_sets (org_id, dataset_version_id, id);
create index row_sets_uncommitted_idx on tenuto.row_sets (created_at) where not committed;

create table tenuto.table_lineage (
  org_id             uuid not null,
  dataset_version_id uuid not null,
  input_version_id   uuid not null,
  input_dataset_id   uuid not null,
  recorded_at        timestamptz not null,
  primary key (org_id, dataset_version_id, input_version_id),
  constraint lineage_is_of_a_dataset_version foreign key (org_id, dataset_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint input_is_a_dataset_version foreign key (org_id, input_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint input_is_of_a_dataset foreign key (org_id, input_dataset_id) references tenuto.datasets (org_id, id)
);
comment on table tenuto.table_lineage is
  'Which versions of which datasets the tasks of a dataset version have read. It is written with the commits of the '
  'data, and outlives the data.';

create index table_lineage_input_idx on tenuto.table_lineage (org_id, input_version_id);
create index table_lineage_input_dataset_idx on tenuto.table_lineage (org_id, input_dataset_id);

create table tenuto.lineage_methods (
  org_id             uuid not null,
  dataset_version_id uuid not null,
  method             text not null,
  confidence         text not null,
  lineage_hash       text not null,
  task_id            uuid not null,
  recorded_at        timestamptz not null,
  primary key (org_id, dataset_version_id),
  constraint method_is_of_a_dataset_version foreign key (org_id, dataset_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint method_is_known check (method in ('sql', 'declared', 'reported')),
  constraint confidence_is_known check (confidence in ('exact', 'stated', 'table'))
);
comment on table tenuto.lineage_methods is
  'How the column lineage of a dataset version is known, and a hash of it: a commit with the same hash changes '
  'nothing.';

create table tenuto.column_lineage (
  org_id             uuid not null,
  dataset_version_id uuid not null,
  column_name        text not null,
  input_dataset_id   uuid not null,
  input_column       text not null,
  kind               text not null,
  subtype            text,
  primary key (org_id, dataset_version_id, column_name, input_dataset_id, input_column, kind),
  constraint column_is_of_a_dataset_version foreign key (org_id, dataset_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint source_is_of_a_dataset foreign key (org_id, input_dataset_id) references tenuto.datasets (org_id, id),
  constraint names_are_not_too_long check (octet_length(column_name) <= 256 and octet_length(input_column) <= 256),
  constraint kind_is_known check (kind in ('direct', 'indirect')),
  constraint subtype_is_short check (octet_length(subtype) <= 32)
);
comment on table tenuto.column_lineage is
  'From which columns of other datasets a column is computed. '''' stands for all columns, and for a column that is '
  'not known.';

create index column_lineage_input_idx on tenuto.column_lineage (org_id, input_dataset_id, input_column);

-- One edge of a lineage graph, between columns of dataset versions; '' for a whole version.
create type tenuto.lineage_edge as (
  from_version uuid,
  from_column  text,
  to_version   uuid,
  to_column    text,
  kind         text,
  subtype      text,
  method       text,
  confidence   text,
  stale        boolean
);

create table tenuto.dataset_cursors (
  org_id             uuid not null,
  job_key            uuid not null,
  dataset_version_id uuid not null,
  slot               smallint not null,
  cursor             uuid not null,   -- a partition version, or an event that was emitted
  task_id            uuid,   -- null: nothing in it was for the job
  updated_at         timestamptz not null,
  primary key (org_id, job_key, dataset_version_id, slot),
  constraint cursor_is_of_a_job foreign key (org_id, job_key) references tenuto.job_controls (org_id, job_key),
  constraint cursor_is_of_a_dataset_version foreign key (org_id, dataset_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint slots_are_few check (slot between 0 and 16)
) with (fillfactor = 70);
comment on table tenuto.dataset_cursors is
  'How far each job has read a dataset version: the newest commit that a completed task read, or that its filter '
  'passed over. A job has up to 17 rows per dataset version, so that completions at the same time do not wait for '
  'each other; its cursor is the largest.';

create index dataset_cursors_dataset_idx on tenuto.dataset_cursors (org_id, dataset_version_id, job_key);
