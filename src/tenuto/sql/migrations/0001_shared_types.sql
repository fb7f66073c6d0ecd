-- What the tables of every context build on.

-- The card of a task: what travels with it from one hot table to the next, so that no move reads tenuto.tasks.
--   alone     the run is this task, and takes its state from it
--   followed  other tasks of the run depend on it
--   owned     a parent task started it
--   limited   it may be ready only while it holds its limit slots
create type tenuto.card as (
  id       uuid,
  org_id   uuid,
  run_id   uuid,
  route_id int,
  group_no int,
  priority int,
  attempt  int,
  failures int,
  losses   int,
  alone    boolean,
  followed boolean,
  owned    boolean,
  limited  boolean
);

-- Which tables are cut into weeks, and by which UUIDv7 column.
create table tenuto.partitioned_tables (
  table_name text primary key,
  key_column text not null
);
