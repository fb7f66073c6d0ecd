-- Returns the start of the hour, day, week or month of a partition key, in UTC: the opposite of _time_partition. The
-- key must have the form that _time_partition returns.
create or replace function tenuto._partition_time(p_every text, p_key text)
  returns timestamp
  language sql
  immutable
as $$
  select (case p_every when 'hour' then left(p_key, 10) || ' ' || right(p_key, 2) || ':00'
                       when 'month' then p_key || '-01'
                       else p_key end)::timestamp;
$$;
