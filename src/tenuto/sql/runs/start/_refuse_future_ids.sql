-- Raises TN003 for a UUIDv7 whose time is more than a week ahead. A trigger calls it for ids that belong to no weekly
-- partition. A client whose clock is far ahead of the database's makes such ids. Their rows would stay in the default
-- partition until that week comes. More than 10,000 of these rows would prevent the creation of that week's partition
-- for all clients (create_partitions). Ids that are not UUIDv7 are allowed in the default partition.
create or replace function tenuto._refuse_future_ids()
  returns trigger
  language plpgsql
as $$
begin
  if new.id >= tenuto._uuid7_floor(tenuto.now() + interval '7 days') then
    perform tenuto._raise('TN003',
      format('the timestamp of id %s is %s, more than a week ahead of the database''s clock',
        new.id,
        to_timestamp(('x' || translate(left(new.id::text, 13), '-', ''))::bit(48)::bigint / 1000.0) at time zone 'UTC'),
      'correct the clock of the client, or let the database create the ids');
  end if;
  return new;
end
$$;
