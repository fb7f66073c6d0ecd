-- Returns the period of 17 minutes in which a UUIDv7 was made. The result is an array with one number, because GIN can
-- index arrays. A list that is filtered by metadata searches one period after the other, the newest first.
create or replace function tenuto._period(p_id uuid)
  returns int[]
  language sql
  immutable parallel safe
return array[('x' || left(p_id::text, 8))::bit(32)::int >> 4];
