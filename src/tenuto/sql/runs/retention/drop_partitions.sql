-- Drops the weekly partitions of weeks that ended longer ago than p_keep and than the longest retention of any org.
-- First moves rows of runs that have not ended, or ended within that time, to the default partitions. A week in which
-- more than 5,000 tasks must stay is not dropped; prune_runs deletes the expired rows in it. With p_dry_run, returns
-- the same result and changes nothing. Runs as the owner. Locks all weekly tables together for a short time. Waits up
-- to 100 ms for the locks; if they are not free, the next call tries again. With p_keys, processes only the weeks with
-- these names, even if they are parked.
create or replace function tenuto.drop_partitions(
  p_keep interval default '14 days', p_dry_run boolean default false, p_keys text[] default null)
  returns table (partition text, kept bigint)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '100ms'
as $$
declare
  v_parked text[] := tenuto._parked('drop_partitions', p_keys);
  v_since timestamptz := tenuto.now() - (
    select max(greatest(tenuto._retention(o.settings), p_keep)) from tenuto.orgs o);
  v_week record;
  v_table record;
  v_runs uuid[];
  v_tasks uuid[];
  v_ids uuid[];
  v_most constant int := 5000;   -- 5,000 tasks are moved in 0.1 s
begin
  for v_week in
    select w.*
    from tenuto._weeks() w
    where w.ends_at < v_since and (p_keys is null or w.name = any (p_keys)) and w.name <> all (v_parked)
    order by w.ends_at
  loop
    continue when (select count(*) from tenuto._open_tasks_of(v_week.from_id, v_week.to_id, v_most + 1)) > v_most;
    v_runs := array(select tenuto._runs_to_keep(v_week.from_id, v_week.to_id, v_since));
    v_tasks := array(select tenuto._tasks_of_runs(v_runs, v_week.from_id, v_week.to_id));
    continue when cardinality(v_tasks) > v_most;
    if not p_dry_run then
      begin
        execute (select format('lock table %s in access exclusive mode',
                               string_agg(format('tenuto.%I', t.table_name), ', ' order by t.table_name))
                 from tenuto.partitioned_tables t where t.period = 'week');
      exception when lock_not_available then
        raise notice 'the tables are locked: week % is dropped later', v_week.name;
        return;
      end;
      -- Reads the runs again under the lock, because runs may have been started meanwhile.
      v_runs := v_runs || array(select tenuto._runs_to_keep(v_week.from_id, v_week.to_id, null));
      v_tasks := array(select tenuto._tasks_of_runs(v_runs, v_week.from_id, v_week.to_id));
    end if;

    for v_table in
      select t.table_name, t.key_column, t.table_name || '_' || v_week.name as week
      from tenuto.partitioned_tables t
      where t.period = 'week' and to_regclass(format('tenuto.%I', t.table_name || '_' || v_week.name)) is not null
      order by t.table_name
    loop
      partition := v_table.week;
      v_ids := case when v_table.table_name = 'runs' then v_runs else v_tasks end;
      if p_dry_run then
        execute format('select count(*) from tenuto.%I where %I = any ($1)', v_table.week, v_table.key_column)
        into kept
        using v_ids;
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
