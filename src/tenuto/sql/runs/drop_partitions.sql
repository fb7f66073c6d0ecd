-- Drops the weeks that ended longer ago than p_keep and than the longest retention of any org. What belongs to runs that
-- are open or ended within that time moves to the default partitions first. p_dry_run says the same and changes nothing.
-- Runs as the owner. The tables are locked together and for a moment; while they are busy, the next call tries again.
create or replace function tenuto.drop_partitions(p_keep interval default '14 days', p_dry_run boolean default false)
  returns table (partition text, kept bigint)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '500ms'
as $$
declare
  v_since timestamptz := tenuto.now() - (select max(greatest(tenuto._retention(o.settings), p_keep)) from tenuto.orgs o);
  v_week record;
  v_table record;
  v_runs uuid[];
  v_tasks uuid[];
  v_ids uuid[];
begin
  for v_week in select w.* from tenuto._weeks() w where w.ends_at < v_since order by w.ends_at
  loop
    v_runs := array(select tenuto._runs_to_keep(v_week.from_id, v_week.to_id, v_since));
    if not p_dry_run then
      begin
        execute (select 'lock table ' || string_agg(format('tenuto.%I', t.table_name), ', ' order by t.table_name) || ' in access exclusive mode'
                 from tenuto.partitioned_tables t where t.period = 'week');
      exception when lock_not_available then
        raise notice 'the tables are busy: week % stays for now', v_week.name;
        return;
      end;
      -- Again, now that nobody can start anything: what was started meanwhile.
      v_runs := v_runs || array(select tenuto._runs_to_keep(v_week.from_id, v_week.to_id, null));
    end if;
    v_tasks := array(
      select t.id
      from (select distinct r.id from unnest(v_runs) r(id)) r
      cross join lateral tenuto._run_tasks(r.id) t
      where t.id >= v_week.from_id and t.id < v_week.to_id);

    for v_table in
      select t.table_name, t.key_column, t.table_name || '_' || v_week.name as week
      from tenuto.partitioned_tables t
      where t.period = 'week' and to_regclass(format('tenuto.%I', t.table_name || '_' || v_week.name)) is not null
      order by t.table_name
    loop
      partition := v_table.week;
      v_ids := case when v_table.table_name = 'runs' then v_runs else v_tasks end;
      if p_dry_run then
        execute format('select count(*) from tenuto.%I where %I = any ($1)', v_table.week, v_table.key_column) into kept using v_ids;
      else
        execute format('alter table tenuto.%I detach partition tenuto.%I', v_table.table_name, v_table.week);
        execute format('insert into tenuto.%I select * from tenuto.%I where %I = any ($1)',
                       v_table.table_name || '_default', v_table.week, v_table.key_column) using v_ids;
        get diagnostics kept = row_count;
        execute format('drop table tenuto.%I', v_table.week);
      end if;
      return next;
    end loop;
  end loop;
end
$$;
