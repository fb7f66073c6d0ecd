-- Returns a new UUIDv7: 48 bits of milliseconds, 12 bits of the fraction of a millisecond, then random bits. The
-- fraction makes the ids of one session increase: of two values of run data that are written under one key within a
-- millisecond, the later value has the larger id. Uses the clock, not the time of the statement, so that ids made in
-- one statement are ordered by age too.
create or replace function tenuto._uuid7()
  returns uuid
  language sql
  volatile parallel safe
return (
  overlay(lpad(to_hex((extract(epoch from clock_timestamp()) * 4096000)::bigint), 15, '0') placing '7' from 13 for 0)
  || substr(gen_random_uuid()::text, 19))::uuid;
