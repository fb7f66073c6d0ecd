-- Side effects still to be done. A taken row has an owner and an expiry; after 20 attempts it is a dead letter.
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
  constraint kind_is_known check (kind in ('route_event', 'emit_lineage', 'deliver', 'enqueue_task')),
  constraint status_is_known check (status in ('pending', 'processing', 'done', 'dead')),
  constraint processing_has_an_owner_and_an_expiry check ((status = 'processing') = (locked_by is not null and locked_until is not null)),
  constraint done_has_a_time check ((status = 'done') = (processed_at is not null)),
  constraint attempts_are_counted_up check (attempts between 0 and 20)
) with (fillfactor = 70, autovacuum_vacuum_scale_factor = 0.02, autovacuum_vacuum_threshold = 1000);

create index outbox_pending_idx on tenuto.outbox (available_at, id) where status = 'pending';
create index outbox_processing_idx on tenuto.outbox (locked_until) where status = 'processing';
create index outbox_dead_idx on tenuto.outbox (org_id, id) where status = 'dead';
create index outbox_done_idx on tenuto.outbox (processed_at) where status = 'done';
