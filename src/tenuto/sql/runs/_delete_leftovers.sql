-- Deletes what dropped weeks left behind in tables that are not cut into weeks: rows of runs and tasks that are
-- gone. Only UUIDv7 older than every retention are looked at; at most p_limit rows per table. p_dry_run only counts.
create or replace function tenuto._delete_leftovers(p_limit int, p_dry_run boolean)
  returns bigint
  language sql
  set plan_cache_mode = force_custom_plan
as $$
  with old as materialized (
    select tenuto._uuid7_floor('2020-01-01') as first_id,
           tenuto._uuid7_floor(tenuto.now() - max(tenuto._retention(o.settings))) as id
    from tenuto.orgs o
  ), keys as materialized (
    select x.ctid as tid from tenuto.dedupe_keys x
    where x.run_id >= (select first_id from old) and x.run_id < (select id from old)
      and not exists (select from tenuto.runs r where r.id = x.run_id) limit p_limit
  ), data as materialized (
    select x.ctid as tid from tenuto.run_data x
    where x.run_id >= (select first_id from old) and x.run_id < (select id from old)
      and not exists (select from tenuto.runs r where r.id = x.run_id) limit p_limit
  ), signals as materialized (
    select x.ctid as tid from tenuto.signals x
    where x.run_id >= (select first_id from old) and x.run_id < (select id from old)
      and not exists (select from tenuto.runs r where r.id = x.run_id) limit p_limit
  ), slots as materialized (
    select x.ctid as tid from tenuto.run_slots x
    where x.run_id >= (select first_id from old) and x.run_id < (select id from old)
      and not exists (select from tenuto.runs r where r.id = x.run_id) limit p_limit
  ), steps as materialized (
    select x.ctid as tid from tenuto.task_steps x
    where x.task_id >= (select first_id from old) and x.task_id < (select id from old)
      and not exists (select from tenuto.tasks t where t.id = x.task_id) limit p_limit
  ), parents as materialized (
    select x.ctid as tid from tenuto.task_parents x
    where x.id >= (select first_id from old) and x.id < (select id from old)
      and not exists (select from tenuto.tasks t where t.id = x.id) limit p_limit
  ), refs as materialized (
    select x.ctid as tid from tenuto.data_references x
    where x.holder in ('run', 'task')
      and x.holder_id >= (select first_id from old) and x.holder_id < (select id from old)
      and not exists (select from tenuto.runs r where r.id = x.holder_id)
      and not exists (select from tenuto.tasks t where t.id = x.holder_id) limit p_limit
  ), gone_keys as (
    delete from tenuto.dedupe_keys where not p_dry_run and ctid = any (array(select tid from keys))
  ), gone_data as (
    delete from tenuto.run_data where not p_dry_run and ctid = any (array(select tid from data))
  ), gone_signals as (
    delete from tenuto.signals where not p_dry_run and ctid = any (array(select tid from signals))
  ), gone_slots as (
    delete from tenuto.run_slots where not p_dry_run and ctid = any (array(select tid from slots))
  ), gone_steps as (
    delete from tenuto.task_steps where not p_dry_run and ctid = any (array(select tid from steps))
  ), gone_parents as (
    delete from tenuto.task_parents where not p_dry_run and ctid = any (array(select tid from parents))
  ), gone_refs as (
    delete from tenuto.data_references where not p_dry_run and ctid = any (array(select tid from refs))
  )
  select (select count(*) from keys) + (select count(*) from data) + (select count(*) from signals) + (select count(*) from slots)
         + (select count(*) from steps) + (select count(*) from parents) + (select count(*) from refs);
$$;
