-- Copies the latest value of each key of a run's data to its retry, because tasks that run again may read values that
-- reused steps and tasks wrote. The copies do not say which task wrote them.
create or replace function tenuto._copy_run_data(p_old uuid, p_new uuid)
  returns void
  language sql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  insert into tenuto.run_data (id, org_id, run_id, key, value, tags, created_at, metadata, updated_at)
  select tenuto._uuid7(), d.org_id, p_new, d.key, d.value, d.tags, d.created_at, d.metadata, d.updated_at
  from (
    select distinct on (d.key) d.org_id, d.key, d.value, d.tags, d.created_at, d.metadata, d.updated_at
    from tenuto.run_data d
    where d.run_id = p_old
    order by d.key, d.id desc
  ) d;
$$;
