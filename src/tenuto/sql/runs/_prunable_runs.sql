-- Final runs that ended longer ago than their org keeps them: in the default partition, where no week takes them along,
-- and of orgs that keep less than the longest. The others go with their week: deleting each row would cost as much as
-- running it did.
create or replace function tenuto._prunable_runs(p_limit int)
  returns setof uuid
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  with org as materialized (
    select o.id, tenuto.now() - k.keep as before, k.keep < max(k.keep) over () as early
    from tenuto.orgs o
    cross join lateral (select tenuto._retention(o.settings) as keep) k
  )
  select r.id
  from (
    select r.id, r.alone, r.completed_at, o.before
    from org o
    join tenuto.runs_default r on r.org_id = o.id
    union all
    select r.id, r.alone, r.completed_at, o.before
    from org o
    join tenuto.runs r on r.org_id = o.id and r.id < tenuto._uuid7_floor(o.before)
    where o.early and r.tableoid <> 'tenuto.runs_default'::regclass
  ) r
  left join tenuto.task_attempts a on r.alone and a.task_id = r.id and a.end_no = 0
  where coalesce(r.completed_at, a.ended_at) < r.before
  limit p_limit;
$$;
