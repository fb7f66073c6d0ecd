-- Creates the missing weekly partitions from one week back to p_weeks ahead, and the missing monthly partitions of the
-- same period. Each partition is created as a separate table and then attached, which blocks other statements only for
-- an instant. The call waits up to 100 ms for the lock on the default partition; if the lock is not free, the next call
-- tries again. The default partition may already have rows of the new period (mostly with random ids). At most 10,000
-- rows of a week are moved to the new partition. If the default partition has more rows of a week, or any rows of a
-- month, the new partition is not created and these rows stay where they are. If the default partition is large, a call
-- creates only one partition, and the next calls create the others. Runs as the owner.
create or replace function tenuto.create_partitions(p_weeks int default 4)
  returns setof text
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '100ms'
as $$
declare
  v_new record;
  v_rows int;
  v_few constant int := 10000;
  v_large constant bigint := 8 << 20;   -- bytes; attaching a partition reads the default partition under its lock
begin
  perform tenuto._require_read_committed();
  if not pg_try_advisory_xact_lock(hashtextextended('tenuto.create_partitions', 0)) then
    return;   -- another dispatcher creates the partitions now
  end if;
  for v_new in select * from tenuto._missing_partitions(p_weeks)
  loop
    -- An earlier call may have left a table that it could not attach. The columns of this table may be out of date.
    execute format('drop table if exists tenuto.%I', v_new.name);
    execute format('create table tenuto.%I (like tenuto.%I including all)', v_new.name, v_new.table_name);
  end loop;

  for v_new in select * from tenuto._missing_partitions(p_weeks)
  loop
    begin
      execute format('lock table only tenuto.%I in share update exclusive mode', v_new.table_name);
      execute format('lock table tenuto.%I in access exclusive mode', v_new.rest);
    exception when lock_not_available then
      raise notice 'tenuto.% is locked: partition % is created later', v_new.rest, v_new.name;
      return;
    end;
    execute format('select count(*) from (select from tenuto.%I where %I >= $1 and %2$I < $2 limit %s) x',
                   v_new.rest, v_new.key_column, v_few + 1)
    into v_rows
    using v_new.from_id, v_new.to_id;
    if v_rows > 0 and (v_rows > v_few or v_new.period <> 'week') then
      raise notice 'partition % is not created: tenuto.% already has its rows', v_new.name, v_new.rest;
      execute format('drop table tenuto.%I', v_new.name);
      continue;
    elsif v_rows > 0 then
      execute format('with moved as (delete from tenuto.%I where %I >= $1 and %2$I < $2 returning *)
                      insert into tenuto.%I select * from moved', v_new.rest, v_new.key_column, v_new.name)
      using v_new.from_id, v_new.to_id;
    end if;
    execute format('alter table tenuto.%I attach partition tenuto.%I for values from (%L) to (%L)',
                   v_new.table_name, v_new.name, v_new.from_id, v_new.to_id);
    return next v_new.name;
    exit when pg_relation_size(to_regclass(format('tenuto.%I', v_new.rest))) > v_large;
  end loop;
end
$$;
