-- Makes the weekly partitions from one week back to p_weeks ahead; those that exist stay. Rows of a week without a
-- partition wait in the default one, so a week that already has rows there is left to it. Runs as the owner.
create or replace function tenuto.create_partitions(p_weeks int default 4)
  returns setof text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_table record;
  v_week timestamptz;
  v_name text;
begin
  for v_table in
    select t.table_name, t.key_column from tenuto.partitioned_tables t order by t.table_name
  loop
    for v_week in
      select generate_series(date_trunc('week', tenuto.now(), 'UTC') - interval '1 week',
                             date_trunc('week', tenuto.now(), 'UTC') + make_interval(weeks => p_weeks),
                             interval '1 week')
    loop
      v_name := v_table.table_name || to_char(v_week at time zone 'UTC', '_IYYY_"w"IW');
      continue when to_regclass(format('tenuto.%I', v_name)) is not null;
      begin
        execute format('create table tenuto.%I partition of tenuto.%I for values from (%L) to (%L)',
                       v_name, v_table.table_name, tenuto._uuid7_floor(v_week), tenuto._uuid7_floor(v_week + interval '1 week'));
        return next v_name;
      exception when check_violation then
        raise notice 'rows of week % are in tenuto.%_default, which keeps them', v_week::date, v_table.table_name;
      end;
    end loop;
  end loop;
end
$$;
