-- Returns the missing partitions of the period from one week or month ago until p_weeks from now. Each row has the
-- range of ids of the partition, and the default partition that holds its rows until it exists.
create or replace function tenuto._missing_partitions(p_weeks int)
  returns table (table_name text, key_column text, period text, rest text, name text, from_id uuid, to_id uuid)
  language sql
  stable
as $$
  select t.table_name, t.key_column, t.period, t.table_name || '_default', n.name,
         tenuto._uuid7_floor(s.starts_at at time zone 'UTC'),
         tenuto._uuid7_floor((s.starts_at + p.length) at time zone 'UTC')
  from tenuto.partitioned_tables t
  join (
    values ('week', interval '1 week', '_IYYY_"w"IW'), ('month', interval '1 month', '_YYYY_MM')
  ) p(period, length, form) on p.period = t.period
  cross join lateral (select date_trunc(t.period, tenuto.now() at time zone 'UTC') as now) today
  cross join lateral generate_series(
    today.now - p.length, date_trunc(t.period, today.now + make_interval(weeks => p_weeks)), p.length) s(starts_at)
  cross join lateral (select t.table_name || to_char(s.starts_at, p.form) as name) n
  where not exists (select from pg_inherits i where i.inhrelid = to_regclass(format('tenuto.%I', n.name)))
  order by s.starts_at, t.table_name;
$$;
