-- Makes the weekly partitions from one week back to p_weeks ahead, and monthly ones as far; those that exist stay. Rows of
-- a time without a partition wait in the default one, so a time that already has rows there is left to it. Runs as the owner.
create or replace function tenuto.create_partitions(p_weeks int default 4)
  returns setof text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_table record;
  v_name text;
begin
  for v_table in
    select t.table_name, s.starts_at, s.starts_at + make_interval(months => p.months, weeks => p.weeks) as ends_at,
           to_char(s.starts_at, p.form) as suffix
    from tenuto.partitioned_tables t
    join (values ('week', 0, 1, '_IYYY_"w"IW'), ('month', 1, 0, '_YYYY_MM')) p(period, months, weeks, form) on p.period = t.period
    cross join lateral (select date_trunc(t.period, tenuto.now() at time zone 'UTC') as now) today
    cross join lateral generate_series(
      today.now - make_interval(months => p.months, weeks => p.weeks),
      date_trunc(t.period, today.now + make_interval(weeks => p_weeks)),
      make_interval(months => p.months, weeks => p.weeks)) s(starts_at)
    order by t.table_name, s.starts_at
  loop
    v_name := v_table.table_name || v_table.suffix;
    continue when to_regclass(format('tenuto.%I', v_name)) is not null;
    begin
      execute format('create table tenuto.%I partition of tenuto.%I for values from (%L) to (%L)', v_name, v_table.table_name,
                     tenuto._uuid7_floor(v_table.starts_at at time zone 'UTC'), tenuto._uuid7_floor(v_table.ends_at at time zone 'UTC'));
      return next v_name;
    exception when check_violation then
      raise notice 'rows from % on are in tenuto.%_default, which keeps them', v_table.starts_at::date, v_table.table_name;
    end;
  end loop;
end
$$;
