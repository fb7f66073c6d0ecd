-- Returns the smallest UUIDv7 of a point in time. With it, "older than" becomes a range of ids.
create or replace function tenuto._uuid7_floor(p_at timestamptz)
  returns uuid
  language sql
  immutable parallel safe
return (
  substring(encode(int8send((extract(epoch from p_at) * 1000)::bigint), 'hex') from 5)
  || '70008000000000000000')::uuid;
