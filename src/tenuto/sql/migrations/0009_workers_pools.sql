-- Groups of workers with one scaling policy, and what was decided about their size.
create table tenuto.pools (
  id                   uuid primary key,
  org_id               uuid not null references tenuto.orgs (id),
  name                 text not null,
  provider             text not null,
  min_workers          int not null default 0,
  max_workers          int not null,
  spare_workers        int not null default 0,
  idle_timeout_seconds real not null default 300,
  settings             jsonb not null default '{}',
  paused_at            timestamptz,
  created_at           timestamptz not null,
  constraint pool_exists_once unique (org_id, name),
  constraint pool_belongs_to_its_org unique (org_id, id),
  constraint name_is_not_empty check (length(name) between 1 and 256),
  constraint provider_is_not_empty check (length(provider) between 1 and 256),
  constraint sizes_are_in_order check (min_workers between 0 and max_workers and spare_workers between 0 and max_workers),
  constraint idle_timeout_is_not_negative check (idle_timeout_seconds between 0 and 315360000),
  constraint settings_are_an_object check (jsonb_typeof(settings) = 'object'),
  constraint settings_fit_in_a_megabyte check (pg_column_size(settings) <= 1048576)
);

-- Appended to; facts are what the decision was made from. prune_workers takes the old ones.
create table tenuto.scaling_decisions (
  id         uuid primary key,
  org_id     uuid not null,
  pool_id    uuid not null,
  decided_at timestamptz not null,
  workers    int not null,
  wanted     int not null,
  reason     text not null,
  facts      jsonb not null default '{}',
  constraint decision_is_about_a_pool foreign key (org_id, pool_id) references tenuto.pools (org_id, id) on delete cascade,
  constraint sizes_are_not_negative check (workers >= 0 and wanted >= 0),
  constraint reason_is_not_empty check (length(reason) between 1 and 1024),
  constraint facts_are_an_object check (jsonb_typeof(facts) = 'object'),
  constraint facts_fit_in_a_megabyte check (pg_column_size(facts) <= 1048576)
);

create index scaling_decisions_pool_idx on tenuto.scaling_decisions (org_id, pool_id, decided_at);
create index scaling_decisions_age_idx on tenuto.scaling_decisions (decided_at);
