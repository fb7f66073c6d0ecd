-- Side effects, and where they are sent.

create table tenuto.outbox (
  id           bigint generated always as identity primary key,
  org_id       uuid not null,
  kind         text not null,
  payload      jsonb not null,
  status       text not null default 'pending',
  available_at timestamptz not null,
  attempts     int not null default 0,
  locked_by    text,
  locked_until timestamptz,
  last_error   text,
  created_at   timestamptz not null,
  processed_at timestamptz,
  -- The destination of an effect, so that a slow receiver delays only its own; '' for other kinds. An effect that was
  -- published with a key is published once per scope (the type of its task, '' for a client).
  destination  text not null default '',
  scope        text not null default '',
  key          text,
  constraint status_is_known check (status in ('pending', 'processing', 'done', 'dead')),
  constraint processing_has_an_owner_and_an_expiry
    check ((status = 'processing') = (locked_by is not null and locked_until is not null)),
  constraint done_has_a_time check ((status = 'done') = (processed_at is not null)),
  constraint attempts_are_counted_up check (attempts between 0 and 20),
  constraint kind_is_known
    check (kind in ('route_event', 'emit_lineage', 'deliver', 'enqueue_task', 'delete_data', 'sink', 'raise_alerts'))
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);
comment on table tenuto.outbox is
  'Side effects still to be done. A taken row has an owner and an expiry; after 20 attempts it is a dead letter.';

create index outbox_pending_idx on tenuto.outbox (available_at, id) where status = 'pending';
create index outbox_processing_idx on tenuto.outbox (locked_until) where status = 'processing';
create index outbox_dead_idx on tenuto.outbox (org_id, id) where status = 'dead';
create unique index outbox_key_idx on tenuto.outbox (org_id, scope, key) where key is not null;
create index outbox_pending_destination_idx on tenuto.outbox (org_id, destination, available_at, id)
  where status = 'pending';
create index outbox_processing_destination_idx on tenuto.outbox (org_id, destination) where status = 'processing';
-- Orgs keep the effects that were done for different times: prune_effects reads them org by org.
create index outbox_done_by_org_idx on tenuto.outbox (org_id, processed_at) where status = 'done';
-- Finds out whether events of a version of a DAG are routed.
create index outbox_routes_idx on tenuto.outbox
  (org_id, (coalesce(payload ->> 'dag_version_id', payload ->> 'version')))
  where kind = 'route_event' and status in ('pending', 'processing', 'dead');
-- Finds out whether the rows of a version of a DAG are added, and what waits for a version of a dataset.
create index outbox_sinks_idx on tenuto.outbox (org_id, (payload ->> 'dag_version_id'))
  where kind = 'sink' and status in ('pending', 'processing', 'dead');
create index outbox_sink_datasets_idx on tenuto.outbox (org_id, (payload ->> 'dataset_version_id'))
  where kind = 'sink' and status in ('pending', 'processing', 'dead');
create index outbox_alerts_idx on tenuto.outbox (org_id, scope, status, id) where kind = 'raise_alerts';

create table tenuto.destinations (
  org_id      uuid not null,   -- identity.sql adds the foreign key
  name        text not null,
  url         text not null,
  secret      bytea not null,
  created_at  timestamptz not null,
  updated_at  timestamptz not null,
  openlineage boolean not null default false,   -- receives OpenLineage events
  primary key (org_id, name),
  -- put_destination checks the whole URL; the constraint only says which schemes exist.
  constraint url_has_a_known_scheme
    check (url ~ '^(https?://|file:|mailto:|command:).' and octet_length(url) <= 2048)
);
comment on table tenuto.destinations is
  'Where effects of the kind deliver are sent, declared by an admin of the org. The secret that signs them is '
  'encrypted.';

create index destinations_openlineage_idx on tenuto.destinations (org_id) where openlineage;
