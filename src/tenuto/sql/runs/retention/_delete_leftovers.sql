-- Deletes rows that remain after a weekly partition was dropped (see _leftovers), and returns how many. With p_dry_run,
-- only counts them.
create or replace function tenuto._delete_leftovers(p_limit int, p_dry_run boolean, p_keys uuid[], p_parked uuid[])
  returns bigint
  language sql
  set plan_cache_mode = force_custom_plan
as $$
  with found as materialized (
    select f.source, f.tid from tenuto._leftovers(p_limit, p_keys, p_parked) f
  ), of_dedupe_keys as (
    delete from tenuto.dedupe_keys
    where not p_dry_run and ctid = any (array(select f.tid from found f where f.source = 'dedupe_keys'))
  ), of_run_data as (
    delete from tenuto.run_data
    where not p_dry_run and ctid = any (array(select f.tid from found f where f.source = 'run_data'))
  ), of_signals as (
    delete from tenuto.signals
    where not p_dry_run and ctid = any (array(select f.tid from found f where f.source = 'signals'))
  ), of_run_slots as (
    delete from tenuto.run_slots
    where not p_dry_run and ctid = any (array(select f.tid from found f where f.source = 'run_slots'))
  ), of_held_runs as (
    delete from tenuto.held_runs
    where not p_dry_run and ctid = any (array(select f.tid from found f where f.source = 'held_runs'))
  ), of_task_steps as (
    delete from tenuto.task_steps
    where not p_dry_run and ctid = any (array(select f.tid from found f where f.source = 'task_steps'))
  ), of_task_metadata as (
    delete from tenuto.task_metadata
    where not p_dry_run and ctid = any (array(select f.tid from found f where f.source = 'task_metadata'))
  ), of_task_parents as (
    delete from tenuto.task_parents
    where not p_dry_run and ctid = any (array(select f.tid from found f where f.source = 'task_parents'))
  ), of_data_references as (
    delete from tenuto.data_references
    where not p_dry_run and ctid = any (array(select f.tid from found f where f.source = 'data_references'))
  )
  select count(*) from found;
$$;
