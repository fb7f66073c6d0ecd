-- Tasks in the default partition whose run went with a week: their ids are not UUIDv7, and the id of their run is.
-- Such ids begin in 2020; most random ones are beyond them.
create or replace function tenuto._tasks_left_behind(p_limit int)
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
  limit p_limit;
$$;
