-- What tasks share: objects, run data, operator state, steps, signals.

create table tenuto.data_objects (
  id         uuid primary key,
  org_id     uuid not null references tenuto.orgs (id),
  type       text not null,
  uri        text,
  payload    bytea,
  size       bigint not null,
  checksum   text,
  metadata   jsonb,
  created_at timestamptz not null,
  constraint object_belongs_to_its_org unique (org_id, id),
  constraint an_object_is_a_payload_or_a_uri check (num_nonnulls(uri, payload) = 1),
  constraint payload_fits_in_a_megabyte check (payload is null or octet_length(payload) <= 1048576),
  constraint size_is_not_negative check (size >= 0)
);

create index data_objects_age_idx on tenuto.data_objects (created_at);

create table tenuto.data_locality (
  object_id uuid not null,
  org_id    uuid not null,
  address   text not null,
  hard      boolean not null,
  primary key (object_id, address),
  constraint locality_belongs_to_an_object foreign key (org_id, object_id) references tenuto.data_objects (org_id, id) on delete cascade
);

create index data_locality_object_idx on tenuto.data_locality (org_id, object_id);
create index data_locality_hard_idx on tenuto.data_locality (object_id) where hard;

-- Who still needs the object. Runs and tasks are partitioned, so no foreign key watches them: delete_run and prune do.
create table tenuto.data_references (
  object_id uuid not null,
  holder    text not null,
  holder_id uuid not null,
  org_id    uuid not null,
  primary key (object_id, holder, holder_id),
  constraint reference_is_to_an_object foreign key (org_id, object_id) references tenuto.data_objects (org_id, id),
  constraint holder_is_known check (holder in ('run', 'group', 'task'))
);

create index data_references_object_idx on tenuto.data_references (org_id, object_id);
create index data_references_holder_idx on tenuto.data_references (holder_id);

-- An append log: the latest row of a key is its value, earlier rows are its history.
create table tenuto.run_data (
  id         uuid primary key,
  org_id     uuid not null,
  run_id     uuid not null,
  key        text not null,
  value      jsonb not null,
  tags       text[] not null default '{}',
  task_id    uuid,
  attempt    int,
  created_at timestamptz not null,
  constraint key_is_not_too_long check (length(key) between 1 and 1024),
  constraint value_fits_in_a_megabyte check (pg_column_size(value) <= 1048576),
  constraint a_writer_is_a_task_and_its_attempt check ((task_id is null) = (attempt is null))
);

create index run_data_key_idx on tenuto.run_data (run_id, key, id);

-- Key-value pairs of a job that outlive its tasks, changed by compare-and-set on their version.
create table tenuto.operator_state (
  org_id     uuid not null references tenuto.orgs (id),
  job_key    text not null,
  key        text not null,
  value      jsonb not null,
  version    bigint not null,
  updated_at timestamptz not null,
  primary key (org_id, job_key, key),
  constraint value_fits_in_a_megabyte check (pg_column_size(value) <= 1048576)
);

create table tenuto.task_steps (
  task_id    uuid not null,
  step_no    int not null,
  org_id     uuid not null,
  name       text not null,
  kind       text not null,
  value      jsonb,
  attempt    int not null,
  created_at timestamptz not null,
  constraint a_step_is_recorded_once primary key (task_id, step_no),
  constraint kind_is_known check (kind in ('step', 'child', 'sleep', 'signal')),
  -- The ids of 100,000 children need more.
  constraint value_fits_in_a_megabyte check (value is null or kind = 'child' or pg_column_size(value) <= 1048576)
);

-- A message to a run. It is taken by one wait; a wait that comes later finds it here.
create table tenuto.signals (
  id       uuid primary key,
  org_id   uuid not null,
  run_id   uuid not null,
  name     text not null,
  value    jsonb,
  sent_at  timestamptz not null,
  taken_by uuid,
  taken_at timestamptz,
  constraint name_is_not_empty check (length(name) between 1 and 256),
  constraint taken_has_a_time check ((taken_by is null) = (taken_at is null))
);

create index signals_open_idx on tenuto.signals (run_id, name, id) where taken_by is null;
create index signals_run_idx on tenuto.signals (run_id);
