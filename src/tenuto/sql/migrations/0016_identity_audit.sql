-- What people and keys did. Entries are only added; seal_audit gives each its place in the chain of its org, once.
alter table tenuto.partitioned_tables
  add column period text not null default 'week',
  add constraint period_is_known check (period in ('week', 'month'));

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
  constraint actor_kind_is_known check (actor_kind in ('user', 'api_key', 'worker_key', 'task', 'operator', 'system')),
  constraint actor_id_is_not_empty check (length(actor_id) between 1 and 256),
  constraint sealed_has_both check ((seq is null) = (hash is null))
) partition by range (id);

create table tenuto.audit_log_default partition of tenuto.audit_log default;
create index audit_log_org_idx on tenuto.audit_log (org_id, id);
create index audit_log_entity_idx on tenuto.audit_log (org_id, entity, entity_id, id);
create index audit_log_chain_idx on tenuto.audit_log (org_id, seq);
insert into tenuto.partitioned_tables (table_name, key_column, period) values ('audit_log', 'id', 'month');

-- The body is in identity/_keep_audit.sql; a trigger needs a function to be there.
create function tenuto._keep_audit() returns trigger language plpgsql as $$ begin return null; end $$;
create trigger entries_are_only_added before update or delete on tenuto.audit_log
  for each row execute function tenuto._keep_audit();
create trigger entries_are_never_emptied_out before truncate on tenuto.audit_log
  for each statement execute function tenuto._keep_audit();

-- Entries that have no place in the chain yet: what seal_audit looks at instead of the log.
create table tenuto.audit_unsealed (
  id     uuid primary key,
  org_id uuid not null
);

-- The end of each org's chain, and its anchor: the last entry that prune_audit took, after which the chain goes on.
create table tenuto.audit_chains (
  org_id      uuid primary key references tenuto.orgs (id),
  seq         bigint not null,
  hash        bytea not null,
  sealed_at   timestamptz not null,
  anchor_seq  bigint not null default 0,
  anchor_hash bytea not null default '\x',
  constraint anchor_is_in_the_chain check (anchor_seq between 0 and seq)
);

-- Ends of chains that somebody signed. With one of them kept elsewhere, nobody can write the chain anew before it.
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
