-- Returns the number of the lock, 0 to 63, that a transaction takes before it creates this lane. A separate lock for
-- each lane filled the shared lock table of Postgres.
create or replace function tenuto._lane_lock(p_route_id int, p_group_no int, p_priority int)
  returns int
  language sql
  immutable
  return hashint8(((p_route_id::bigint << 32) # (p_group_no::bigint << 16)) # p_priority) & 63;
