-- Returns tasks in the default partition that have no run any more, because the weekly partition of the run was
-- dropped. Their ids are not UUIDv7, but the ids of their runs are. Only run ids since 2020 that are older than the
-- longest retention of all orgs are considered. Most random ids are outside that range. p_keys: if set, only these
-- tasks are returned. p_parked: these tasks are not returned.
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
