-- Returns how many runs match a filter of list_runs. Stops after finding more than 10,000 of them. Also stops after
-- reading 10,000 runs if the filter is one with which list_runs reads only 10,000 runs. After such a stop, the number
-- is estimated from the rate at which the newest matching runs were created, and exact is false.
create or replace function tenuto.count_runs(
  p_org_id uuid, p_statuses text[] default null, p_name text default null, p_type text default null,
  p_since timestamptz default null, p_until timestamptz default null,
  p_metadata jsonb default null)
  returns table (count bigint, exact boolean)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
  set enable_seqscan = off
as $$
  select n.count, n.exact
  from tenuto._find_runs_in(p_org_id, tenuto._statuses_of('run', null, p_statuses), p_name, p_type, p_since, p_until,
    null, 10001, p_metadata) f
  left join tenuto.runs r on r.id = f.next_before
  cross join lateral tenuto._count_found(p_org_id, cardinality(f.ids), r.created_at, p_since, p_until) n;
$$;
