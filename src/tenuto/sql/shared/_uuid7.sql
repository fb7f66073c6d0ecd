-- A new UUIDv7: 48 bits of milliseconds, then random bits. Clock time, so that ids made in one statement still differ by age.
create or replace function tenuto._uuid7()
  returns uuid
  language sql
  volatile parallel safe
return encode(
  set_bit(
    set_bit(
      overlay(
        uuid_send(gen_random_uuid())
        placing substring(int8send((extract(epoch from clock_timestamp()) * 1000)::bigint) from 3)
        from 1 for 6),
      52, 1),
    53, 1),
  'hex')::uuid;
