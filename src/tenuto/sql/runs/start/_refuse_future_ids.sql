-- Fired for UUIDv7 that no week takes. An id that a client made with a clock far ahead of the database's would lie in
-- the default partition until its time comes, and keep the week's partition from being made for everybody. Other ids
-- than UUIDv7 may lie there.
create or replace function tenuto._refuse_future_ids()
  returns trigger
  language plpgsql
as $$
begin
  if new.id >= tenuto._uuid7_floor(tenuto.now() + interval '7 days') then
    perform tenuto._raise('TN003', format('id %s is of %s, more than a week ahead of the database''s clock', new.id,
        to_timestamp(('x' || translate(left(new.id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) at time zone 'UTC'),
      'set the clock of the client, or leave the ids to the database');
  end if;
  return new;
end
$$;
