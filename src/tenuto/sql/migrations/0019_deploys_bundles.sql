-- Code that people upload: a zip that is known by its hash, kept in parts so that no row is large, and the task types it runs.

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

create index bundles_org_idx on tenuto.bundles (org_id, id);

create table tenuto.bundle_parts (
  org_id uuid not null,
  sha256 text not null,
  no     int not null,
  data   bytea not null,
  primary key (org_id, sha256, no),
  constraint part_is_of_a_bundle foreign key (org_id, sha256) references tenuto.bundles (org_id, sha256) on delete cascade,
  constraint number_is_not_negative check (no between 0 and 63),
  constraint part_is_up_to_1_mb check (length(data) between 1 and 1048576)
);

-- A zip does not get smaller.
alter table tenuto.bundle_parts alter column data set storage external;

-- Which bundle runs a type now: the one that was put last.
create table tenuto.bundle_types (
  org_id uuid not null,
  type   text not null,
  sha256 text not null,
  entry  text not null,
  primary key (org_id, type),
  constraint type_is_of_a_bundle foreign key (org_id, sha256) references tenuto.bundles (org_id, sha256) on delete cascade,
  constraint type_is_not_too_long check (length(type) between 3 and 256),
  constraint entry_is_not_too_long check (length(entry) between 3 and 512)
);

create index bundle_types_bundle_idx on tenuto.bundle_types (org_id, sha256);
