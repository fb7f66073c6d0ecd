-- Which of 64 locks a transaction takes before it makes this lane. A lock for each lane filled the lock table of
-- everybody.
create or replace function tenuto._lane_lock(p_route_id int, p_group_no int, p_priority int)
  returns int
  language sql
  immutable
  return hashint8(((p_route_id::bigint << 32) # (p_group_no::bigint << 16)) # p_priority) & 63;
