-- Calls of direct clients, which seal_audit moves to the audit log. A call only inserts here, so that a start pays
-- little and waits for no other. The login, its address and the time are defaults, which no client can set.
create table tenuto.audit_arrivals (
  -- As _uuid7 makes it; a function of ours would have to exist before this table.
  id          uuid primary key default (
    overlay(lpad(to_hex((extract(epoch from clock_timestamp()) * 4096000)::bigint), 15, '0') placing '7' from 13 for 0)
    || substr(gen_random_uuid()::text, 19))::uuid,
  org_id      uuid not null,
  created_at  timestamptz not null default statement_timestamp(),
  entity      text not null,
  entity_id   text not null,
  action      text not null,
  changes     jsonb not null,
  old         jsonb,
  login       text not null default session_user,
  ip          text default host(inet_client_addr()),
  application text default nullif(current_setting('application_name'), ''),
  -- As in audit_log: an entry that the log refuses would keep the entries behind it from being sealed.
  constraint entity_is_plain check (entity ~ '^[a-z][a-z_]{0,62}$'),
  constraint entity_id_is_not_empty check (length(entity_id) between 1 and 1024),
  constraint action_is_plain check (action ~ '^[a-z][a-z_]{0,62}$'),
  constraint changes_are_an_object check (jsonb_typeof(changes) = 'object'),
  constraint old_values_are_an_object check (jsonb_typeof(old) = 'object')
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
