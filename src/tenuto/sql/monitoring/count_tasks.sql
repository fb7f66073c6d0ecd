-- Returns how many tasks match a filter of list_tasks. Stops after finding more than 10,000 of them. Also stops after
-- reading 10,000 tasks if the filter is one with which list_tasks reads only 10,000 tasks. After such a stop, the
-- number is estimated from the rate at which the newest matching tasks were created, and exact is false.
create or replace function tenuto.count_tasks(
  p_org_id uuid, p_run_id uuid default null, p_statuses text[] default null, p_queue text default null,
  p_type text default null, p_since timestamptz default null, p_until timestamptz default null,
  p_metadata jsonb default null, p_job text default null)
  returns table (count bigint, exact boolean)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
  set enable_seqscan = off
as $$
  select n.count, n.exact
  from tenuto._find_tasks_in(p_org_id, p_run_id, tenuto._statuses_of('task', null, p_statuses),
    tenuto._routes_of(p_org_id, p_queue, p_type), p_since, p_until, null, 10001, p_metadata,
    tenuto._filtered_job(p_org_id, p_job)) f
  left join tenuto.tasks t on t.id = f.next_before
  left join tenuto.runs r on r.id = coalesce(p_run_id, t.run_id)
  cross join lateral tenuto._count_found(p_org_id, cardinality(f.ids), t.created_at,
    greatest(p_since, case when p_run_id is not null then r.created_at end), p_until) n;
$$;
