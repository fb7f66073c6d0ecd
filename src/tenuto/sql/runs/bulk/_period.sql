-- Returns the period of 17 minutes in which a UUIDv7 was made, as an array with one number: GIN indexes arrays. Lists
-- by metadata search period by period, from the newest on.
create or replace function tenuto._period(p_id uuid)
  returns int[]
  language sql
  immutable parallel safe
return array[('x' || left(p_id::text, 8))::bit(32)::int >> 4];
