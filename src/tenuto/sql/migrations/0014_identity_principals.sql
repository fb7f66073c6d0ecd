-- Who may come in: people, their roles, and keys. Credentials are kept as hashes that grants.sql lets nobody read.

-- A subject is unique only within its issuer. Everybody belongs to one org.
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
  constraint subject_is_unique_within_its_issuer unique (issuer, subject),
  constraint user_belongs_to_its_org unique (org_id, id),
  constraint issuer_is_not_empty check (length(issuer) between 1 and 256),
  constraint subject_is_not_empty check (length(subject) between 1 and 256),
  constraint email_is_not_empty check (length(email) between 1 and 320),
  constraint name_is_not_empty check (length(name) between 1 and 256),
  constraint platform_role_is_known check (platform_role in ('reader', 'writer', 'admin'))
);

create table tenuto.org_roles (
  id          uuid primary key,
  org_id      uuid not null references tenuto.orgs (id),
  name        text not null,
  description text,
  created_at  timestamptz not null,
  constraint role_exists_once unique (org_id, name),
  constraint role_belongs_to_its_org unique (org_id, id),
  constraint name_is_short_and_plain check (name ~ '^[a-z0-9][a-z0-9_-]{0,62}$'),
  constraint description_is_not_empty check (length(description) between 1 and 1024)
);

create table tenuto.org_role_memberships (
  org_id     uuid not null,
  role_id    uuid not null,
  user_id    uuid not null,
  created_at timestamptz not null,
  primary key (org_id, role_id, user_id),
  constraint membership_is_of_a_role foreign key (org_id, role_id) references tenuto.org_roles (org_id, id) on delete cascade,
  constraint membership_is_of_a_user foreign key (org_id, user_id) references tenuto.users (org_id, id) on delete cascade
);

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
  constraint key_id_is_unique unique (key_id),
  constraint key_belongs_to_its_org unique (org_id, id),
  constraint key_is_replaced_by_one_of_its_org foreign key (org_id, replaced_by) references tenuto.api_keys (org_id, id),
  constraint key_has_an_id_or_a_prefix check (key_id is not null or prefix is not null),
  constraint key_id_is_12_of_base62 check (key_id ~ '^[0-9A-Za-z]{12}$'),
  constraint prefix_is_short check (length(prefix) between 4 and 50),
  constraint a_known_key_has_a_hash check ((key_id is null) = (hash is null)),
  constraint an_imported_key_has_a_bcrypt_hash check ((key_id is null) = (bcrypt is not null)),
  constraint hash_has_32_bytes check (octet_length(hash) = 32),
  constraint bcrypt_is_bcrypt check (bcrypt ~ '^\$2[aby]\$\d\d\$[./0-9A-Za-z]{53}$'),
  constraint name_is_not_empty check (length(name) between 1 and 256)
);

create index api_keys_prefix_idx on tenuto.api_keys (prefix) where key_id is null;
create index api_keys_replaced_idx on tenuto.api_keys (org_id, replaced_by) where replaced_by is not null;

-- What a worker shows at /internal: which queues of its org it may claim from; '*' is all of them.
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
  constraint worker_key_is_replaced_by_one_of_its_org foreign key (org_id, replaced_by) references tenuto.worker_keys (org_id, id),
  constraint key_id_is_12_of_base62 check (key_id ~ '^[0-9A-Za-z]{12}$'),
  constraint hash_has_32_bytes check (octet_length(hash) = 32),
  constraint name_is_not_empty check (length(name) between 1 and 256),
  constraint queues_are_named check (cardinality(queues) > 0)
);

create index worker_keys_replaced_idx on tenuto.worker_keys (org_id, replaced_by) where replaced_by is not null;

-- Keys of this installation, which sign task tokens and audit heads; private keys are encrypted by whoever writes them.
create table tenuto.signing_keys (
  id          text primary key,
  public_key  jsonb not null,
  private_key bytea not null,
  created_at  timestamptz not null,
  retired_at  timestamptz,
  constraint id_is_not_empty check (length(id) between 1 and 64),
  constraint public_key_is_an_object check (jsonb_typeof(public_key) = 'object')
);

-- A person's visit to the dashboard: the hash of the cookie.
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

create index login_sessions_user_idx on tenuto.login_sessions (org_id, user_id);
create index login_sessions_age_idx on tenuto.login_sessions (expires_at);

-- A link that lets a person in once.
create table tenuto.login_tokens (
  hash       bytea primary key,
  org_id     uuid not null,
  user_id    uuid not null,
  created_at timestamptz not null,
  expires_at timestamptz not null,
  constraint token_is_for_a_user foreign key (org_id, user_id) references tenuto.users (org_id, id) on delete cascade,
  constraint hash_has_32_bytes check (octet_length(hash) = 32)
);

create index login_tokens_user_idx on tenuto.login_tokens (org_id, user_id);
create index login_tokens_age_idx on tenuto.login_tokens (expires_at);
