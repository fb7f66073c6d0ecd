-- Where effects of the kind deliver are sent: declared by an admin of the org. The secret that signs them is encrypted.
create table tenuto.destinations (
  org_id     uuid not null references tenuto.orgs (id),
  name       text not null,
  url        text not null,
  secret     bytea not null,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  primary key (org_id, name),
  constraint url_is_http check (url ~ '^https?://.' and octet_length(url) <= 2048)
);

-- The destination of an effect, so that a slow receiver delays only its own; '' for other kinds. An effect that was
-- published with a key is published once per scope (the type of its task, '' for a client).
alter table tenuto.outbox
  add column destination text not null default '',
  add column scope text not null default '',
  add column key text;
create unique index outbox_key_idx on tenuto.outbox (org_id, scope, key) where key is not null;
create index outbox_pending_destination_idx on tenuto.outbox (org_id, destination, available_at, id)
  where status = 'pending';
create index outbox_processing_destination_idx on tenuto.outbox (org_id, destination) where status = 'processing';
