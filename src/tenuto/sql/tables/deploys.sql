-- Uploaded code, DAGs with their immutable versions, and the jobs of each version.

create table tenuto.bundles (
  id         uuid primary key,
  org_id     uuid not null references tenuto.orgs (id),
  sha256     text not null,
  name       text not null,
  manifest   jsonb not null,
  size       bigint not null,
  created_by text not null,
  created_at timestamptz not null,
  constraint bundle_exists_once unique (org_id, sha256),
  constraint sha256_is_a_hash check (sha256 ~ '^[0-9a-f]{64}$'),
  constraint name_is_short_and_plain check (name ~ '^[a-z][a-z0-9_-]{0,62}$'),
  constraint size_is_up_to_64_mb check (size between 1 and 67108864),
  constraint created_by_is_not_empty check (length(created_by) between 1 and 256)
);
comment on table tenuto.bundles is
  'Uploaded code: a zip that is identified by its hash, with the task types that it runs.';

create index bundles_org_idx on tenuto.bundles (org_id, id);

create table tenuto.bundle_parts (
  org_id uuid not null,
  sha256 text not null,
  no     int not null,
  data   bytea not null,
  primary key (org_id, sha256, no),
  constraint part_is_of_a_bundle foreign key (org_id, sha256) references tenuto.bundles (org_id, sha256)
    on delete cascade,
  constraint number_is_not_negative check (no between 0 and 63),
  constraint part_is_up_to_1_mb check (length(data) between 1 and 1048576)
);
comment on table tenuto.bundle_parts is
  'The zip of a bundle, in parts, so that no row is large.';

-- Postgres does not try to compress a zip.
alter table tenuto.bundle_parts alter column data set storage external;

create table tenuto.bundle_types (
  org_id uuid not null,
  type   text not null,
  sha256 text not null,
  entry  text not null,
  primary key (org_id, type),
  constraint type_is_of_a_bundle foreign key (org_id, sha256) references tenuto.bundles (org_id, sha256)
    on delete cascade,
  constraint type_is_not_too_long check (length(type) between 3 and 256),
  constraint entry_is_not_too_long check (length(entry) between 3 and 512)
);
comment on table tenuto.bundle_types is
  'Which bundle runs a task type now: the one that was uploaded last.';

create index bundle_types_bundle_idx on tenuto.bundle_types (org_id, sha256);

create table tenuto.dags (
  id         uuid primary key,
  org_id     uuid not null references tenuto.orgs (id),
  name       text not null,
  created_at timestamptz not null,
  deleted_at timestamptz,
  constraint dag_belongs_to_its_org unique (org_id, id),
  constraint name_is_short_and_plain check (name ~ '^[a-z][a-z0-9_-]{0,99}$'),
  constraint dag_exists_once unique nulls not distinct (org_id, name, deleted_at)
);
comment on table tenuto.dags is
  'DAGs. The row of a deleted DAG stays, because the history of deploys, tasks and lineage name it; its name is '
  'free again.';

create table tenuto.dag_versions (
  id           uuid primary key,
  org_id       uuid not null,
  dag_id       uuid not null,
  version      int not null,
  yaml         text not null,
  yaml_hash    text not null,
  hash_version int not null,
  status       text not null,
  created_by   text not null,
  created_at   timestamptz not null,
  constraint version_belongs_to_its_org unique (org_id, id),
  constraint version_is_of_a_dag foreign key (org_id, dag_id) references tenuto.dags (org_id, id),
  constraint version_has_its_own_number unique (org_id, dag_id, version),
  constraint yaml_is_deployed_once unique (org_id, dag_id, yaml_hash),
  constraint version_starts_at_1 check (version >= 1),
  constraint yaml_is_up_to_256_kb check (octet_length(yaml) between 1 and 262144),
  constraint yaml_hash_is_a_hash check (yaml_hash ~ '^[0-9a-f]{64}$'),
  constraint status_is_known check (status in ('staged', 'building', 'ready', 'current', 'superseded', 'failed')),
  constraint created_by_is_not_empty check (octet_length(created_by) between 1 and 256)
);
comment on table tenuto.dag_versions is
  'Immutable versions of DAGs, with their YAML.';

-- A DAG has at most one current version, whatever the functions do.
create unique index dag_versions_current_idx on tenuto.dag_versions (org_id, dag_id) where status = 'current';
create index dag_versions_open_idx on tenuto.dag_versions (org_id, dag_id, version)
  where status in ('staged', 'building', 'ready', 'current', 'failed');

create table tenuto.dag_current_versions (
  org_id         uuid not null,
  dag_id         uuid not null,
  dag_version_id uuid not null,
  updated_at     timestamptz not null,
  primary key (org_id, dag_id),
  constraint pointer_is_of_a_dag foreign key (org_id, dag_id) references tenuto.dags (org_id, id),
  constraint pointer_names_a_version foreign key (org_id, dag_version_id) references tenuto.dag_versions (org_id, id)
);
comment on table tenuto.dag_current_versions is
  'The current version of each DAG: the pointer that a cutover moves.';

create index dag_current_versions_version_idx on tenuto.dag_current_versions (org_id, dag_version_id);

create table tenuto.deploy_history (
  id              uuid primary key,
  org_id          uuid not null,
  dag_id          uuid not null,
  action          text not null,
  from_version_id uuid,
  to_version_id   uuid,
  plan            jsonb,
  created_by      text not null,
  created_at      timestamptz not null,
  constraint entry_is_of_a_dag foreign key (org_id, dag_id) references tenuto.dags (org_id, id),
  constraint entry_leaves_a_version foreign key (org_id, from_version_id) references tenuto.dag_versions (org_id, id),
  constraint entry_names_a_version foreign key (org_id, to_version_id) references tenuto.dag_versions (org_id, id),
  constraint plan_is_an_object check (jsonb_typeof(plan) = 'object'),
  constraint created_by_is_not_empty check (octet_length(created_by) between 1 and 256),
  constraint action_is_known check (action in ('deploy', 'cutover', 'rollback', 'delete')),
  constraint only_a_deletion_leads_nowhere check ((action = 'delete') = (to_version_id is null))
);
comment on table tenuto.deploy_history is
  'Every deploy, and every move of the pointer to the current version, with its plan. Rows are never changed.';

create index deploy_history_dag_idx on tenuto.deploy_history (org_id, dag_id, id);
create index deploy_history_from_idx on tenuto.deploy_history (org_id, from_version_id);
create index deploy_history_to_idx on tenuto.deploy_history (org_id, to_version_id);

create table tenuto.job_controls (
  job_key      uuid primary key,
  org_id       uuid not null,
  dag_id       uuid not null,
  paused_at    timestamptz,
  pause_reason text,
  created_at   timestamptz not null,
  -- Backpressure: a job whose backlog passes a bound holds the jobs that feed it, until half of it is worked off.
  held_at      timestamptz,   -- by backpressure, beside a pause
  hold_reason  text,
  constraint job_belongs_to_its_org unique (org_id, job_key),
  constraint job_is_of_a_dag foreign key (org_id, dag_id) references tenuto.dags (org_id, id),
  constraint only_a_paused_job_has_a_reason check (paused_at is not null or pause_reason is null),
  constraint reason_is_not_too_long check (octet_length(pause_reason) between 1 and 1024),
  constraint a_held_job_has_a_reason check ((held_at is null) = (hold_reason is null)),
  constraint hold_reason_is_not_too_long check (octet_length(hold_reason) between 1 and 1024)
);
comment on table tenuto.job_controls is
  'The part of a job that outlives its versions: its key, whether it is paused, and whether backpressure holds it.';

create index job_controls_dag_idx on tenuto.job_controls (org_id, dag_id);
create index job_controls_held_idx on tenuto.job_controls (org_id) where held_at is not null;

create table tenuto.jobs (
  id             uuid primary key,
  org_id         uuid not null,
  dag_version_id uuid not null,
  job_key        uuid not null,
  name           text not null,
  activation     text not null,
  runtime        text not null,
  operator       text not null,
  config_hash    text not null,
  metadata_hash  text not null,
  definition     jsonb not null,
  constraint job_version_belongs_to_its_org unique (org_id, id),
  constraint job_is_of_a_version foreign key (org_id, dag_version_id) references tenuto.dag_versions (org_id, id),
  constraint job_has_a_key foreign key (org_id, job_key) references tenuto.job_controls (org_id, job_key),
  constraint name_is_unique_in_a_version unique (org_id, dag_version_id, name),
  constraint key_is_unique_in_a_version unique (org_id, dag_version_id, job_key),
  constraint activation_is_known check (activation in ('source', 'reactive')),
  constraint hashes_are_hashes check (config_hash ~ '^[0-9a-f]{64}$' and metadata_hash ~ '^[0-9a-f]{64}$'),
  constraint definition_is_an_object check (jsonb_typeof(definition) = 'object')
);
comment on table tenuto.jobs is
  'The jobs of each version of a DAG.';

create index jobs_key_idx on tenuto.jobs (org_id, job_key);

create table tenuto.job_backlogs (
  org_id          uuid not null,
  job_key         uuid not null,
  max_depth       int,   -- both bounds null: the current version has none, the row is to be removed
  max_age_seconds int,
  depth           int not null default 0,   -- tasks that wait, counted up to the bound and one more
  oldest_at       timestamptz,
  engaged_at      timestamptz,   -- its producers are held since then
  due_at          timestamptz not null,
  primary key (org_id, job_key),
  constraint backlog_is_of_a_job foreign key (org_id, job_key) references tenuto.job_controls (org_id, job_key),
  constraint bounds_are_positive check (max_depth > 0 and max_age_seconds > 0)
);
comment on table tenuto.job_backlogs is
  'The jobs whose current version bounds their backlog, and what dispatchers found when they last looked.';

create index job_backlogs_due_idx on tenuto.job_backlogs (due_at);
