-- Returns final runs that ended longer ago than their org's retention, and that drop_partitions does not remove
-- together with the partition of their week. These are runs in the default partition (found by index, the oldest
-- first), runs of orgs with a shorter retention than the longest, and runs in weeks that drop_partitions does not drop
-- because too many rows in them must stay. drop_partitions removes all other runs: deleting each row would cost as much
-- as executing the run did. p_keys: if set, only these runs are returned. p_parked: these runs are not returned. Runs
-- that a retry is still copying are left out.
create or replace function tenuto._prunable_runs(p_limit int, p_keys uuid[], p_parked uuid[])
  returns setof uuid
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
as $$
  with org as materialized (
    select o.id, tenuto.now() - k.keep as before, k.keep < max(k.keep) over () as early, max(k.keep) over () as longest
    from tenuto.orgs o
    cross join lateral (select tenuto._retention(o.settings) as keep) k
  ), left_weeks as materialized (
    select (array_agg(w.from_id order by w.ends_at))[1] as from_id,
           (array_agg(w.to_id order by w.ends_at desc))[1] as to_id
    from tenuto._weeks() w
    where w.ends_at < tenuto.now() - (select max(o.longest) from org o) - interval '1 day'
  )
  select p.id
  from (
    select d.id
    from org o
    cross join lateral (
      (select r.id
       from tenuto.runs_default r
       where r.org_id = o.id and r.completed_at < o.before
         and (p_keys is null or r.id = any (p_keys)) and r.id <> all (p_parked)
       order by r.completed_at
       limit p_limit)
      union all
      (select a.task_id
       from tenuto.task_attempts_default a
       join tenuto.runs_default r on r.id = a.task_id and r.single_task
       where a.org_id = o.id and a.end_no = 0 and a.ended_at < o.before
         and (p_keys is null or a.task_id = any (p_keys)) and a.task_id <> all (p_parked)
       order by a.ended_at
       limit p_limit)
    ) d
    union all
    select r.id
    from org o
    join tenuto.runs r on r.org_id = o.id and r.id < tenuto._uuid7_floor(o.before)
    left join tenuto.task_attempts a on r.single_task and a.task_id = r.id and a.end_no = 0
    where o.early and r.tableoid <> 'tenuto.runs_default'::regclass and coalesce(r.completed_at, a.ended_at) < o.before
    union all
    select r.id
    from tenuto.runs r
    join org o on o.id = r.org_id and not o.early
    where r.id >= (select w.from_id from left_weeks w)
      and r.id < (select w.to_id from left_weeks w)
      and r.completed_at < o.before
      and r.tableoid <> 'tenuto.runs_default'::regclass
    union all
    select a.task_id   -- reads ends, not runs: most runs of such a week have not ended
    from tenuto.task_attempts a
    join org o on o.id = a.org_id and not o.early
    join tenuto.runs r on r.id = a.task_id and r.single_task
    where a.task_id >= (select w.from_id from left_weeks w)
      and a.task_id < (select w.to_id from left_weeks w)
      and a.end_no = 0
      and a.ended_at < o.before
      and a.tableoid <> 'tenuto.task_attempts_default'::regclass
  ) p
  where (p_keys is null or p.id = any (p_keys))
    and p.id <> all (p_parked)
    and not exists (select from tenuto.run_requests q where q.source_id = p.id)
  limit p_limit;
$$;
