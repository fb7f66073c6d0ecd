-- DAGs and their immutable versions, the version that is current, and the jobs of each version.

create table tenuto.dags (
  id         uuid primary key,
  org_id     uuid not null references tenuto.orgs (id),
  name       text not null,
  created_at timestamptz not null,
  constraint dag_belongs_to_its_org unique (org_id, id),
  constraint dag_exists_once unique (org_id, name),
  constraint name_is_short_and_plain check (name ~ '^[a-z][a-z0-9_-]{0,99}$')
);

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

-- A DAG has at most one current version, whatever the functions do.
create unique index dag_versions_current_idx on tenuto.dag_versions (org_id, dag_id) where status = 'current';

create table tenuto.dag_current_versions (
  org_id         uuid not null,
  dag_id         uuid not null,
  dag_version_id uuid not null,
  updated_at     timestamptz not null,
  primary key (org_id, dag_id),
  constraint pointer_is_of_a_dag foreign key (org_id, dag_id) references tenuto.dags (org_id, id),
  constraint pointer_names_a_version foreign key (org_id, dag_version_id) references tenuto.dag_versions (org_id, id)
);

create index dag_current_versions_version_idx on tenuto.dag_current_versions (org_id, dag_version_id);

-- Every deploy and every move of the pointer, with its plan; rows are never changed.
create table tenuto.deploy_history (
  id              uuid primary key,
  org_id          uuid not null,
  dag_id          uuid not null,
  action          text not null,
  from_version_id uuid,
  to_version_id   uuid not null,
  plan            jsonb,
  created_by      text not null,
  created_at      timestamptz not null,
  constraint entry_is_of_a_dag foreign key (org_id, dag_id) references tenuto.dags (org_id, id),
  constraint entry_leaves_a_version foreign key (org_id, from_version_id) references tenuto.dag_versions (org_id, id),
  constraint entry_names_a_version foreign key (org_id, to_version_id) references tenuto.dag_versions (org_id, id),
  constraint action_is_known check (action in ('deploy', 'cutover', 'rollback')),
  constraint plan_is_an_object check (jsonb_typeof(plan) = 'object'),
  constraint created_by_is_not_empty check (octet_length(created_by) between 1 and 256)
);

create index deploy_history_dag_idx on tenuto.deploy_history (org_id, dag_id, id);
create index deploy_history_from_idx on tenuto.deploy_history (org_id, from_version_id);
create index deploy_history_to_idx on tenuto.deploy_history (org_id, to_version_id);

-- What outlives the versions of a job: its key, and whether it is paused.
create table tenuto.job_controls (
  job_key      uuid primary key,
  org_id       uuid not null,
  dag_id       uuid not null,
  paused_at    timestamptz,
  pause_reason text,
  created_at   timestamptz not null,
  constraint job_belongs_to_its_org unique (org_id, job_key),
  constraint job_is_of_a_dag foreign key (org_id, dag_id) references tenuto.dags (org_id, id),
  constraint only_a_paused_job_has_a_reason check (paused_at is not null or pause_reason is null),
  constraint reason_is_not_too_long check (octet_length(pause_reason) between 1 and 1024)
);

create index job_controls_dag_idx on tenuto.job_controls (org_id, dag_id);

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

create index jobs_key_idx on tenuto.jobs (org_id, job_key);
