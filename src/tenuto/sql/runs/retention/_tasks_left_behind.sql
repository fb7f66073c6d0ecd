-- Returns tasks in the default partition whose run was dropped with a week. Their ids are not UUIDv7, but the ids of
-- their runs are. Only run ids since 2020 are considered; most random ids are outside that range. p_keys: only these
-- tasks; p_parked: none of these.
create or replace function tenuto._tasks_left_behind(p_limit int, p_keys uuid[], p_parked uuid[])
  returns setof uuid
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
as $$
  select t.id
  from tenuto.tasks_default t
  where t.run_id <> t.id
    and t.run_id >= tenuto._uuid7_floor('2020-01-01')
    and t.run_id < (select tenuto._uuid7_floor(tenuto.now() - max(tenuto._retention(o.settings))) from tenuto.orgs o)
    and not exists (select from tenuto.runs r where r.id = t.run_id)
    and (p_keys is null or t.id = any (p_keys))
    and t.id <> all (p_parked)
  limit p_limit;
$$;
