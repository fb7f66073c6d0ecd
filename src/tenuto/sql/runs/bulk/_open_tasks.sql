-- Returns the newest unfinished tasks of an org with ids before p_before: at most p_limit from each of the five tables
-- of unfinished tasks. Never reads history. p_status: only tasks with this status. p_routes: only tasks of these
-- routes. p_first: only tasks with this id or a higher one. p_only_runs: only tasks of single-task runs. All conditions
-- are applied before the limit: a caller that gets fewer than p_limit tasks knows that there are no more.
create or replace function tenuto._open_tasks(
  p_org_id uuid, p_status text, p_routes int[], p_before uuid, p_limit int, p_first uuid default null,
  p_only_runs boolean default false)
  returns table (id uuid, attempt int)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  (select t.id, t.attempt
   from tenuto.running_tasks t
   where t.org_id = p_org_id
     and (p_before is null or t.id < p_before)
     and (p_first is null or t.id >= p_first)
     and (not p_only_runs or tenuto._is_single_task_run(t.flags))
     and (p_routes is null or t.route_id = any (p_routes))
     and (p_status is null or p_status = 'running')
   order by t.id desc limit p_limit)
  union all
  (select t.id, t.attempt
   from tenuto.ready_tasks t
   where t.org_id = p_org_id
     and (p_before is null or t.id < p_before)
     and (p_first is null or t.id >= p_first)
     and (not p_only_runs or tenuto._is_single_task_run(t.flags))
     and (p_routes is null or t.route_id = any (p_routes))
     and (p_status is null or p_status = 'queued')
   order by t.id desc limit p_limit)
  union all
  (select t.id, t.attempt
   from tenuto.delayed_tasks t
   where t.org_id = p_org_id
     and (p_before is null or t.id < p_before)
     and (p_first is null or t.id >= p_first)
     and (not p_only_runs or tenuto._is_single_task_run(t.flags))
     and (p_routes is null or t.route_id = any (p_routes))
     and (p_status is null or p_status = case when t.reason = 'retry' then 'retrying' else 'queued' end)
   order by t.id desc limit p_limit)
  union all
  (select t.id, t.attempt
   from tenuto.waiting_tasks t
   where t.org_id = p_org_id
     and (p_before is null or t.id < p_before)
     and (p_first is null or t.id >= p_first)
     and (not p_only_runs or tenuto._is_single_task_run(t.flags))
     and (p_routes is null or t.route_id = any (p_routes))
     and (p_status is null or p_status = case when t.waits_for = 'limit' then 'queued' else 'waiting' end)
   order by t.id desc limit p_limit)
  union all
  (select t.id, t.attempt
   from tenuto.pending_tasks t
   where t.org_id = p_org_id
     and (p_before is null or t.id < p_before)
     and (p_first is null or t.id >= p_first)
     and (not p_only_runs or tenuto._is_single_task_run(t.flags))
     and (p_routes is null or t.route_id = any (p_routes))
     and (p_status is null or p_status = 'pending')
   order by t.id desc limit p_limit);
$$;
