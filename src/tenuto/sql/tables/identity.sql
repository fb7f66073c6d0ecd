-- Tenants, the shares of capacity inside a tenant, users and keys, and the audit log of their actions.

create table tenuto.orgs (
  id         uuid primary key,
  slug       text not null,
  name       text not null,
  settings   jsonb not null default '{}',
  created_at timestamptz not null,
  constraint slug_is_unique unique (slug),
  constraint slug_is_short_and_plain check (slug ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  constraint settings_are_an_object check (jsonb_typeof(settings) = 'object')
);
comment on table tenuto.orgs is
  'Tenants.';

insert into tenuto.orgs (id, slug, name, created_at)
values ('00000000-0000-7000-8000-000000000001', 'default', 'Default', statement_timestamp());

-- "no" is the number of the group on the hot path, where a uuid would cost twice the index.
create table tenuto.resource_groups (
  id          uuid primary key,
  no          int generated always as identity,
  org_id      uuid not null references tenuto.orgs (id),
  external_id text not null,
  weight      int not null default 1,
  quota       int,
  created_at  timestamptz not null,
  deleted_at  timestamptz,
  constraint group_number_is_unique unique (no),
  constraint external_id_is_unique_in_its_org unique (org_id, external_id),
  constraint group_belongs_to_its_org unique (org_id, id),
  constraint external_id_is_not_empty check (length(external_id) between 1 and 256),
  constraint weight_is_positive check (weight between 1 and 1000),
  constraint quota_is_not_negative check (quota >= 0)
);
comment on table tenuto.resource_groups is
  'Shares of the capacity of an org, to which runs belong. A deleted group keeps its row, under another name: runs '
  'that a client''s transaction started at the same time still belong to it.';

-- The heaviest groups of an org, which claims serve always.
create index resource_groups_heavy_idx on tenuto.resource_groups (org_id, weight desc) where weight > 1;

insert into tenuto.resource_groups (id, org_id, external_id, created_at)
values ('00000000-0000-7000-8000-000000000002', '00000000-0000-7000-8000-000000000001', 'default',
        statement_timestamp());

-- A subject is unique only within its issuer.
create table tenuto.users (
  id            uuid primary key,
  org_id        uuid not null references tenuto.orgs (id),
  issuer        text not null,
  subject       text not null,
  email         text,
  name          text,
  platform_role text not null,
  created_at    timestamptz not null,
  disabled_at   timestamptz,
  -- When they first logged in to the org. Before that, an org may have a row for them without their knowledge.
  came_at       timestamptz,
  constraint user_belongs_to_its_org unique (org_id, id),
  constraint issuer_is_not_empty check (length(issuer) between 1 and 256),
  constraint subject_is_not_empty check (length(subject) between 1 and 256),
  constraint email_is_not_empty check (length(email) between 1 and 320),
  constraint name_is_not_empty check (length(name) between 1 and 256),
  constraint platform_role_is_known check (platform_role in ('reader', 'writer', 'admin')),
  constraint a_person_is_once_in_an_org unique (issuer, subject, org_id)
);
comment on table tenuto.users is
  'Users, as each org knows them: the other orgs do not see what one org records about a user.';

create table tenuto.org_roles (
  id           uuid primary key,
  org_id       uuid not null references tenuto.orgs (id),
  name         text not null,
  description  text,
  created_at   timestamptz not null,
  -- The name of a role for display; `name` is its slug.
  display_name text,
  constraint role_exists_once unique (org_id, name),
  constraint role_belongs_to_its_org unique (org_id, id),
  constraint name_is_short_and_plain check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  constraint description_is_not_empty check (length(description) between 1 and 1024),
  constraint display_name_is_not_empty check (length(display_name) between 1 and 256)
);
comment on table tenuto.org_roles is
  'Roles that an org defines, for example for read access to datasets.';

create table tenuto.org_role_memberships (
  org_id     uuid not null,
  role_id    uuid not null,
  user_id    uuid not null,
  created_at timestamptz not null,
  primary key (org_id, role_id, user_id),
  constraint membership_is_of_a_role foreign key (org_id, role_id) references tenuto.org_roles (org_id, id)
    on delete cascade,
  constraint membership_is_of_a_user foreign key (org_id, user_id) references tenuto.users (org_id, id)
    on delete cascade
);
comment on table tenuto.org_role_memberships is
  'Which users have which roles of their org.';

create index org_role_memberships_user_idx on tenuto.org_role_memberships (org_id, user_id);

-- key_id is the public part of a key. An imported key has none until its first use: it is known by its first characters
-- and a bcrypt hash.
create table tenuto.api_keys (
  id             uuid primary key,
  org_id         uuid not null references tenuto.orgs (id),
  key_id         text,
  prefix         text,
  hash           bytea,
  bcrypt         text,
  pepper_version int not null default 1,
  name           text not null,
  permissions    text[] not null,
  created_by     text not null,
  created_at     timestamptz not null,
  expires_at     timestamptz,
  revoked_at     timestamptz,
  last_used_at   timestamptz,
  replaced_by    uuid,
  -- An API key can be set inactive and active again; a revoked key stays revoked.
  disabled_at    timestamptz,
  constraint key_id_is_unique unique (key_id),
  constraint key_belongs_to_its_org unique (org_id, id),
  constraint key_is_replaced_by_one_of_its_org foreign key (org_id, replaced_by)
    references tenuto.api_keys (org_id, id),
  constraint key_has_an_id_or_a_prefix check (key_id is not null or prefix is not null),
  constraint key_id_is_12_of_base62 check (key_id ~ '^[0-9A-Za-z]{12}$'),
  constraint prefix_is_short check (length(prefix) between 4 and 50),
  constraint a_known_key_has_a_hash check ((key_id is null) = (hash is null)),
  constraint an_imported_key_has_a_bcrypt_hash check ((key_id is null) = (bcrypt is not null)),
  constraint hash_has_32_bytes check (octet_length(hash) = 32),
  constraint bcrypt_is_bcrypt check (bcrypt ~ '^\$2[aby]\$\d\d\$[./0-9A-Za-z]{53}$'),
  constraint name_is_not_empty check (length(name) between 1 and 256)
);
comment on table tenuto.api_keys is
  'Keys of users and programs, stored as hashes that no role can read.';

create index api_keys_prefix_idx on tenuto.api_keys (prefix) where key_id is null;
create index api_keys_replaced_idx on tenuto.api_keys (org_id, replaced_by) where replaced_by is not null;

create table tenuto.worker_keys (
  id             uuid primary key,
  org_id         uuid not null references tenuto.orgs (id),
  key_id         text not null,
  hash           bytea not null,
  pepper_version int not null default 1,
  name           text not null,
  queues         text[] not null,
  created_by     text not null,
  created_at     timestamptz not null,
  expires_at     timestamptz,
  revoked_at     timestamptz,
  last_used_at   timestamptz,
  replaced_by    uuid,
  constraint worker_key_id_is_unique unique (key_id),
  constraint worker_key_belongs_to_its_org unique (org_id, id),
  constraint worker_key_is_replaced_by_one_of_its_org foreign key (org_id, replaced_by)
    references tenuto.worker_keys (org_id, id),
  constraint key_id_is_12_of_base62 check (key_id ~ '^[0-9A-Za-z]{12}$'),
  constraint hash_has_32_bytes check (octet_length(hash) = 32),
  constraint name_is_not_empty check (length(name) between 1 and 256),
  constraint queues_are_named check (cardinality(queues) > 0)
);
comment on table tenuto.worker_keys is
  'Keys of workers that connect over HTTP, and the queues of the org from which they may claim (''*'' is all of '
  'them).';

create index worker_keys_replaced_idx on tenuto.worker_keys (org_id, replaced_by) where replaced_by is not null;

create table tenuto.signing_keys (
  id          text primary key,
  public_key  jsonb not null,
  private_key bytea not null,
  created_at  timestamptz not null,
  retired_at  timestamptz,
  constraint id_is_not_empty check (length(id) between 1 and 64),
  constraint public_key_is_an_object check (jsonb_typeof(public_key) = 'object')
);
comment on table tenuto.signing_keys is
  'Keys of this installation, which sign task tokens and audit heads. Private keys are stored encrypted.';

create table tenuto.login_sessions (
  hash         bytea primary key,
  org_id       uuid not null,
  user_id      uuid not null,
  ip           text,
  user_agent   text,
  created_at   timestamptz not null,
  last_seen_at timestamptz not null,
  expires_at   timestamptz not null,
  constraint login_is_of_a_user foreign key (org_id, user_id) references tenuto.users (org_id, id) on delete cascade,
  constraint hash_has_32_bytes check (octet_length(hash) = 32)
);
comment on table tenuto.login_sessions is
  'Logins to the dashboard, by the hash of their cookie.';

create index login_sessions_user_idx on tenuto.login_sessions (org_id, user_id);
create index login_sessions_age_idx on tenuto.login_sessions (expires_at);

create table tenuto.login_tokens (
  hash       bytea primary key,
  org_id     uuid not null,
  user_id    uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint token_is_for_a_user foreign key (org_id, user_id) references tenuto.users (org_id, id) on delete cascade,
  constraint hash_has_32_bytes check (octet_length(hash) = 32)
);
comment on table tenuto.login_tokens is
  'Links that log a user in once, by the hash of their token.';

create index login_tokens_user_idx on tenuto.login_tokens (org_id, user_id);
create index login_tokens_age_idx on tenuto.login_tokens (expires_at);

create table tenuto.idempotency_keys (
  org_id       uuid not null,
  actor        text not null,
  key          text not null,
  request_hash bytea not null,
  status       int,
  response     jsonb,
  created_at   timestamptz not null,
  primary key (org_id, actor, key),
  constraint actor_is_not_empty check (length(actor) between 1 and 256),
  constraint key_is_not_empty check (length(key) between 1 and 256),
  constraint request_hash_has_32_bytes check (octet_length(request_hash) = 32),
  constraint status_is_one_of_http check (status between 100 and 599)
);
comment on table tenuto.idempotency_keys is
  'Requests and their responses. The first request and its response commit together; a second one waits for that, '
  'then gets the same response.';

create index idempotency_keys_age_idx on tenuto.idempotency_keys (created_at);

create unlogged table tenuto.rate_buckets (
  org_id  uuid not null,
  bucket  text not null,
  full_at timestamptz not null,
  primary key (org_id, bucket),
  constraint bucket_is_not_empty check (length(bucket) between 1 and 256)
) with (fillfactor = 50);
comment on table tenuto.rate_buckets is
  'Token buckets of rate limits: the time at which a bucket will be full again tells how many tokens it holds. A '
  'crash fills them, and in return taking a token waits for no disk.';

create table tenuto.audit_log (
  id         uuid not null,
  org_id     uuid not null,
  created_at timestamptz not null,
  entity     text not null,
  entity_id  text not null,
  action     text not null,
  changes    jsonb not null,
  actor_kind text not null,
  actor_id   text not null,
  ip         text,
  user_agent text,
  request_id text,
  seq        bigint,
  hash       bytea,
  primary key (id),
  constraint entity_is_plain check (entity ~ '^[a-z][a-z_]{0,62}$'),
  constraint entity_id_is_not_empty check (length(entity_id) between 1 and 1024),
  constraint action_is_plain check (action ~ '^[a-z][a-z_]{0,62}$'),
  constraint changes_are_an_object check (jsonb_typeof(changes) = 'object'),
  constraint actor_id_is_not_empty check (length(actor_id) between 1 and 256),
  constraint sealed_has_both check ((seq is null) = (hash is null)),
  constraint actor_kind_is_known
    check (actor_kind in ('user', 'api_key', 'worker_key', 'task', 'operator', 'system', 'login'))
) partition by range (id);
comment on table tenuto.audit_log is
  'Actions of users, keys, tasks and logins. Entries are only added; seal_audit gives each one its place in the '
  'chain of its org, once.';

create index audit_log_org_idx on tenuto.audit_log (org_id, id);
create index audit_log_entity_idx on tenuto.audit_log (org_id, entity, entity_id, id);
create index audit_log_chain_idx on tenuto.audit_log (org_id, seq);
create index audit_log_ip_idx on tenuto.audit_log (org_id, ip, id) where ip is not null;
create index audit_log_actor_idx on tenuto.audit_log (org_id, actor_id, id);
create index audit_log_action_idx on tenuto.audit_log (org_id, action, id);

create table tenuto.audit_log_default partition of tenuto.audit_log default;
insert into tenuto.partitioned_tables (table_name, key_column, period) values ('audit_log', 'id', 'month');

create table tenuto.audit_unsealed (
  id     uuid primary key,
  org_id uuid not null
);
comment on table tenuto.audit_unsealed is
  'Entries of the audit log that have no place in the chain yet. seal_audit reads these instead of the log.';

create table tenuto.audit_chains (
  org_id      uuid primary key references tenuto.orgs (id),
  seq         bigint not null,
  hash        bytea not null,
  sealed_at   timestamptz not null,
  anchor_seq  bigint not null default 0,
  anchor_hash bytea not null default '\x',
  constraint anchor_is_in_the_chain check (anchor_seq between 0 and seq)
);
comment on table tenuto.audit_chains is
  'The end of the chain of each org, and its anchor: the last entry that prune_audit removed, after which the chain '
  'continues.';

create table tenuto.audit_heads (
  org_id         uuid not null references tenuto.orgs (id),
  seq            bigint not null,
  hash           bytea not null,
  signed_at      timestamptz not null,
  signing_key_id text not null,
  signature      bytea not null,
  primary key (org_id, seq),
  constraint hash_has_32_bytes check (octet_length(hash) = 32),
  constraint signature_is_not_empty check (octet_length(signature) between 1 and 1024)
);
comment on table tenuto.audit_heads is
  'Signed ends of chains. With a copy of one of them kept elsewhere, the chain before it cannot be rewritten '
  'unnoticed.';

-- The table belongs to the outbox, whose tables are created before the orgs.
alter table tenuto.destinations add foreign key (org_id) references tenuto.orgs (id);
