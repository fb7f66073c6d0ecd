-- What the tables of every context build on.

-- The card of a task: what travels with it from one hot table to the next, so that no move reads tenuto.tasks.
-- traits is a set of bits (_alone, _followed, _owned and _limited read it): one column instead of four made a task
-- 0.5 µs cheaper. How often it failed or was lost is counted from its history, only when that matters.
--   1 alone     the run is this task, and takes its state from it
--   2 followed  other tasks of the run depend on it
--   4 owned     a parent task started it
--   8 limited   it may be ready only while it holds its limit slots
create type tenuto.card as (
  id       uuid,
  org_id   uuid,
  run_id   uuid,
  route_id int,
  group_no int,
  priority int,
  attempt  int,
  traits   smallint
);

-- Which tables are cut into weeks, and by which UUIDv7 column.
create table tenuto.partitioned_tables (
  table_name text primary key,
  key_column text not null
);
