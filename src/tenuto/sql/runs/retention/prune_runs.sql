-- Deletes rows whose retention is over and that drop_partitions does not remove: final runs with all their rows, and
-- rows that remain after a weekly partition was dropped. Processes at most p_limit rows of each kind per call. Returns
-- how many of each; with p_dry_run, returns the same result and changes nothing. Call it until both numbers are zero.
-- Runs as the owner, the only role that can read the default partition. With p_keys, processes only these runs and
-- tasks and their remaining rows, even if they are parked.
create or replace function tenuto.prune_runs(
  p_limit int default 1000, p_dry_run boolean default false, p_keys text[] default null)
  returns table (runs bigint, leftovers bigint)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
  set lock_timeout = '1s'
as $$
declare
  v_keys uuid[] := p_keys;
  v_parked uuid[] := tenuto._parked('prune_runs', p_keys);
  v_seen uuid[] := v_parked;
  v_next uuid[];
  v_ids uuid[] := '{}';
  v_tasks uuid[] := array(select tenuto._tasks_left_behind(p_limit, v_keys, v_parked));
begin
  while cardinality(v_ids) < p_limit   -- until there are enough runs that no other transaction has locked
  loop
    v_next := array(select tenuto._prunable_runs(p_limit - cardinality(v_ids), v_keys, v_seen));
    exit when v_next = '{}';
    v_seen := v_seen || v_next;
    v_ids := v_ids || array(
      select r.id from tenuto.runs r where r.id = any (v_next) order by r.id for update skip locked);
  end loop;
  if not p_dry_run then
    perform tenuto._delete_runs(v_ids);
    perform tenuto._delete_tasks(v_tasks);
  end if;
  runs := cardinality(v_ids);
  leftovers := cardinality(v_tasks) + tenuto._delete_leftovers(p_limit, p_dry_run, v_keys, v_parked);
  return next;
end
$$;
