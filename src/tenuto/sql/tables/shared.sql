-- Types and tables that every context uses, and those of the installation itself.

-- The part of a task that moves from one hot table to the next, so that no move reads tenuto.tasks. flags is a set of
-- bits: one column instead of four made a task 0.5 µs cheaper.
--   1  the run is this task, and takes its state from it (_is_single_task_run)
--   2  other tasks of the run depend on it (_has_dependents)
--   4  a parent task started it (_has_parent)
--   8  it may be ready only while it holds its limit slots (_has_limits)
--   16 its resource group is not the default group; only while it runs (_grouped)
--   32 it belongs to a job of a DAG (_is_job_task)
create type tenuto.queued_task as (
  id       uuid,
  org_id   uuid,
  run_id   uuid,
  route_id int,
  group_no int,
  priority int,
  attempt  int,
  flags    smallint
);

create table tenuto.partitioned_tables (
  table_name text primary key,
  key_column text not null,
  period     text not null default 'week',
  constraint period_is_known check (period in ('week', 'month'))
);
comment on table tenuto.partitioned_tables is
  'Which tables are cut into weeks or months, and by which UUIDv7 column.';

create table tenuto.parked_rows (
  loop        text not null,
  key         text not null,
  org_id      uuid,
  run_id      uuid,
  task_id     uuid,
  error       text not null,
  sqlstate    text,
  failures    int not null,
  parked_at   timestamptz not null,
  retry_at    timestamptz not null,
  taken_until timestamptz,
  primary key (loop, key)
);
comment on table tenuto.parked_rows is
  'Rows on which a loop of dispatchers failed, each with its error. The loop leaves them out until they are tried '
  'again.';

create index parked_rows_due_idx on tenuto.parked_rows (retry_at);
create index parked_rows_run_idx on tenuto.parked_rows (run_id) where run_id is not null;
create index parked_rows_org_idx on tenuto.parked_rows (org_id);
-- Finds the oldest due rows of each org. Rows that belong to no org are one more org.
create index parked_rows_turn_idx on tenuto.parked_rows
  (coalesce(org_id, '00000000-0000-0000-0000-000000000000'::uuid), retry_at, key);

-- The login, its address and the time are defaults, which no client can set. No check constraints: Postgres reads their
-- text again for each insert, and five of them were over half of what recording a call costs. seal_audit makes such
-- values fit the log instead.
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
  application text default nullif(current_setting('application_name'), '')
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);
comment on table tenuto.audit_arrivals is
  'Calls of clients with a database connection, which seal_audit moves to the audit log. A call only inserts here, '
  'so that a start pays little and waits for no other.';

-- A restored dump and a copied database have another oid; another Postgres system has another identifier.
create table tenuto.installation_marks (
  one               boolean not null default true primary key,
  system_identifier text,   -- null: this login may not read it
  database_oid      oid not null,
  name              text,   -- TENUTO_INSTALLATION of the processes of this installation
  recorded_at       timestamptz not null,
  stores            text[] not null default '{}',   -- the object stores that its dispatchers use
  foreign_stores    text[] not null default '{}',   -- those of the installation that this database was copied from
  constraint there_is_one_row check (one),
  constraint name_is_short check (length(name) between 1 and 256)
);
comment on table tenuto.installation_marks is
  'Which database of which server this is: a copy of the database has other marks until it is adopted.';

-- The marks of the database in which these tables are created.
do $$
declare
  v_system text;
begin
  if has_function_privilege('pg_control_system()', 'execute') then
    v_system := (select system_identifier::text from pg_control_system());
  end if;
  insert into tenuto.installation_marks (system_identifier, database_oid, recorded_at)
  select v_system, d.oid, statement_timestamp() from pg_database d where d.datname = current_database();
end
$$;
