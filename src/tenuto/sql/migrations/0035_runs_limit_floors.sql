-- Where the line of a limit and its slots begin. Rows before these positions are gone, although vacuum may not have
-- removed them: without floors, every call that fills a limit read all of them while a long transaction was open.
alter table tenuto.limits
  add column floor_priority int not null default 2147483647,
  add column floor_seq bigint not null default 0,
  add column floor_slot bigint not null default 0;

alter table tenuto.limit_slots add column seq bigint generated always as identity;
drop index tenuto.limit_slots_limit_idx;
create index limit_slots_limit_idx on tenuto.limit_slots (limit_id, org_id, seq);

-- Both columns ascend, so that one comparison of rows finds the floor.
drop index tenuto.waiting_tasks_limit_idx;
create index waiting_tasks_limit_idx on tenuto.waiting_tasks (limit_id, (-priority), seq) where limit_id is not null;

-- The arrival of a start in the line of a limit has the position of its first task.
alter table tenuto.arrivals drop constraint arrival_is_in_a_lane_or_a_line;
alter table tenuto.arrivals add constraint arrival_is_in_a_lane_or_a_line check (
  case when limit_id is null then num_nonnulls(seq, route_id, group_no, priority) = 4
       else num_nonnulls(route_id, group_no) = 0 and (seq is null) = (priority is null) end);

-- The first task that got in the line of a limit.
create type tenuto.line_start as (limit_id bigint, org_id uuid, priority int, seq bigint);
