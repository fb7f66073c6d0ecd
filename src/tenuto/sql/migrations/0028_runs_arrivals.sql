-- What a start leaves for others to do once it has committed. A start locks nothing that others need and writes only
-- rows of its own: it may be part of a transaction that a client keeps open for an hour. So it cannot open a lane, lower
-- a floor, make a limit or take a slot; it writes an arrival, and the next claim or dispatcher that sees it does that
-- (_follow_arrivals).
--   a lane (route_id, group_no, priority): tasks from seq on are ready there
--   a line (limit_id): tasks wait for this limit; scope, key, size and seconds say how to make it;
--     resizes: a start wants that size
create table tenuto.arrivals (
  id       bigint generated always as identity primary key,
  org_id   uuid not null,
  seq      bigint,
  route_id int,
  group_no int,
  priority int,
  limit_id bigint,
  scope    text,
  key      text,
  size     int,
  seconds  float8,
  resizes  boolean not null default false,
  constraint arrival_is_in_a_lane_or_a_line
    check (num_nonnulls(seq, route_id, group_no, priority) = case when limit_id is null then 4 else 0 end)
) with (autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_threshold = 5000);

-- Where claims begin to read arrivals: below are dead rows while a transaction holds vacuum back. move_floors moves
-- it, and looks below it for what committed late.
create table tenuto.arrival_floor (
  floor bigint not null,
  one   boolean primary key default true,
  constraint there_is_one_floor check (one)
);

insert into tenuto.arrival_floor (floor) values (0);

-- A lane and what it should say: where its first task is, or since when it is empty.
create type tenuto.lane_floor as (
  route_id    int,
  group_no    int,
  priority    int,
  floor       bigint,
  empty_since timestamptz
);

-- A route that is first used in a client's transaction has the number of that transaction as its twin: nobody waits
-- for that transaction to make the same route. Twins mean the same, and workers serve all of them.
alter table tenuto.routes
  add column twin bigint not null default 0,
  drop constraint route_is_unique,
  add constraint route_is_unique unique (org_id, queue, type, language, labels, addresses, twin);
