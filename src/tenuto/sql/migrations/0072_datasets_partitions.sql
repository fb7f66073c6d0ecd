-- What attempts published, and which of it readers see: one row per commit of a partition, and one pointer per
-- partition of a dataset version. Tasks are deleted earlier than data: no foreign key to them.
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

create index partition_versions_dataset_idx on tenuto.partition_versions
  (org_id, dataset_version_id, partition_key, id);

-- The pointer moves in place: no index besides the primary key.
create table tenuto.current_partitions (
  org_id               uuid not null,
  dataset_version_id   uuid not null,
  partition_key        text not null,
  partition_version_id uuid not null,
  task_id              uuid not null,
  primary key (org_id, dataset_version_id, partition_key)
)
with (fillfactor = 70);

-- What one accepted task published, as _commit_outputs takes it.
create type tenuto.task_outputs as (
  org_id         uuid,
  dag_version_id uuid,
  job_key        uuid,
  task_id        uuid,
  attempt        int,
  inputs         jsonb,
  published      jsonb
);
