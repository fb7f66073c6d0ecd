-- Returns the key of the partition that contains a time, in UTC: 2026-11-17T03 (hour), 2026-11-17 (day), 2026-11-16
-- (week: its Monday) or 2026-11 (month). Returns null if p_every is null.
create or replace function tenuto._time_partition(p_every text, p_at timestamp)
  returns text
  language sql
  immutable
as $$
  select to_char(date_trunc(p_every, p_at), case p_every
    when 'hour' then 'YYYY-MM-DD"T"HH24'
    when 'month' then 'YYYY-MM'
    else 'YYYY-MM-DD' end);
$$;
