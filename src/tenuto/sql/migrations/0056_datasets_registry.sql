-- Datasets, their versions, and which version of each dataset belongs to which version of a DAG.

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
  constraint dataset_belongs_to_its_org unique (org_id, id),
  -- Checked at the end of a statement: a cutover may exchange the names or the producers of two datasets.
  constraint dataset_exists_once unique (org_id, name) deferrable initially immediate,
  constraint output_has_one_dataset unique (org_id, job_key, output) deferrable initially immediate,
  constraint dataset_is_of_a_dag foreign key (org_id, dag_id) references tenuto.dags (org_id, id),
  constraint producer_is_a_job foreign key (org_id, job_key) references tenuto.job_controls (org_id, job_key),
  constraint name_is_short_and_plain check (name ~ '^[a-z][a-z0-9_]{0,127}$'),
  constraint a_producer_has_an_output check ((job_key is null) = (output is null)),
  constraint what_is_current_has_a_producer check (current_version_id is null or job_key is not null),
  constraint output_is_a_position check (output between 0 and 99),
  constraint roles_are_up_to_100 check (cardinality(read_roles) <= 100)
)
with (fillfactor = 45);   -- a cutover writes every row of a DAG again, in the same page and without new index entries

create index datasets_dag_idx on tenuto.datasets (org_id, dag_id);

create table tenuto.dataset_versions (
  id               uuid primary key,
  org_id           uuid not null,
  dataset_id       uuid not null,
  config_hash      text not null,
  schema_hash      text,
  range_start      bigint,
  range_end        bigint,
  storage          jsonb not null,
  storage_location text not null,
  created_at       timestamptz not null,
  constraint dataset_version_belongs_to_its_org unique (org_id, id),
  constraint version_is_of_a_dataset foreign key (org_id, dataset_id) references tenuto.datasets (org_id, id),
  -- The same definition and range is the same version; without "nulls not distinct" versions without a range would not
  -- be held to it.
  constraint version_is_deterministic unique nulls not distinct (org_id, dataset_id, config_hash, range_start, range_end),
  constraint config_hash_is_a_hash check (config_hash ~ '^[0-9a-f]{64}$'),
  constraint schema_hash_is_a_hash check (schema_hash ~ '^[0-9a-f]{64}$'),
  constraint range_has_both_ends check ((range_start is null) = (range_end is null)),
  constraint range_is_not_empty check (range_start < range_end),
  constraint location_is_a_folder check (storage_location like '%/')
);

-- The datasets that a version of a DAG publishes, as they are while it is current.
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

create index dag_version_datasets_dataset_idx on tenuto.dag_version_datasets (org_id, dataset_id);
create index dag_version_datasets_version_idx on tenuto.dag_version_datasets (org_id, dataset_version_id);
create index dag_version_datasets_job_idx on tenuto.dag_version_datasets (org_id, job_key);

-- What the jobs of a version read and write; kept for lineage and for events.
create table tenuto.job_inputs (
  org_id     uuid not null,
  job_id     uuid not null,
  no         int not null,
  dataset_id uuid,
  parent_key uuid,
  output     int,
  definition jsonb not null,
  primary key (org_id, job_id, no),
  constraint input_is_of_a_job foreign key (org_id, job_id) references tenuto.jobs (org_id, id),
  constraint input_names_a_dataset foreign key (org_id, dataset_id) references tenuto.datasets (org_id, id),
  constraint input_names_a_job foreign key (org_id, parent_key) references tenuto.job_controls (org_id, job_key),
  constraint input_has_a_source check (dataset_id is not null or parent_key is not null)
);

create index job_inputs_dataset_idx on tenuto.job_inputs (org_id, dataset_id);
create index job_inputs_parent_idx on tenuto.job_inputs (org_id, parent_key);

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

create index job_outputs_dataset_idx on tenuto.job_outputs (org_id, dataset_id);
