-- Tasks in the default partition whose run went with a week: their ids are not UUIDv7, and the id of their run is.
create or replace function tenuto._tasks_left_behind(p_limit int)
  returns setof uuid
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  select t.id
  from tenuto.tasks_default t
  where t.run_id <> t.id
    and t.run_id < (select tenuto._uuid7_floor(tenuto.now() - max(tenuto._retention(o.settings))) from tenuto.orgs o)
    and not exists (select from tenuto.runs r where r.id = t.run_id)
  limit p_limit;
$$;
