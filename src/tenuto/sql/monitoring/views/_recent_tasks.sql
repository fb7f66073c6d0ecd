-- Returns the newest tasks of an org, at most 500: the tasks of runs that were started within the last 24 hours, and
-- the tasks that run now. Of runs with a graph, includes the newest 100, with up to 50 tasks each.
create or replace function tenuto._recent_tasks(p_org_id uuid)
  returns setof uuid
  language sql
  stable
  rows 500
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set enable_hashjoin = off
  set enable_mergejoin = off
  set enable_material = off
  set enable_bitmapscan = off
  set enable_sort = off   -- without statistics the planner may read and sort all runs of the org
  set jit = off
as $$
  with run as materialized (
    select r.id, r.single_task
    from tenuto.runs r
    where r.id = any (array(
      select unnest(f.ids)
      from tenuto._find_runs(p_org_id, null, null, null, tenuto.now() - interval '24 hours', null, 500) f))
  )
  select n.id
  from (
    select r.id from run r where r.single_task
    union
    select t.id
    from (select r.id from run r where not r.single_task order by r.id desc limit 100) r
    cross join lateral (
      select t.id from tenuto.tasks t where t.run_id = r.id and t.run_id <> t.id limit 50) t
    union
    (select u.id from tenuto.running_tasks u where u.org_id = p_org_id order by u.started_at desc limit 500)
  ) n
  order by n.id desc
  limit 500;
$$;
