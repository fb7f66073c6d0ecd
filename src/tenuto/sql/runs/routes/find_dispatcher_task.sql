-- Returns a ready task of a job with the runtime `dispatcher`; null if there is none.
create or replace function tenuto.find_dispatcher_task(p_org_id uuid)
  returns uuid
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  select t.id
  from tenuto.routes r
  cross join lateral (select t.id from tenuto.ready_tasks t where t.route_id = r.id limit 1) t
  where r.org_id = p_org_id and r.queue = 'tenuto.dispatcher'
  limit 1;
$$;
