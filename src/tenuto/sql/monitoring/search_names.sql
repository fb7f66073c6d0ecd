-- Returns the types, workers, datasets, dags, queues and schedules of an org whose name contains a text, in upper or
-- lower case. Returns at most p_limit of each kind, exact names first. Also returns run names that begin with the text,
-- with upper and lower case as written. The first 12 or more digits of an id also find runs and tasks by id: these
-- digits contain the time to the millisecond, so few rows are read. p_kinds: the kinds to search.
create or replace function tenuto.search_names(p_org_id uuid, p_text text, p_kinds text[], p_limit int default 5)
  returns table (kind text, id text, name text, about text)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with recursive asked as materialized (
    select lower(p_text) as text, replace(lower(p_text), '-', '') as digits
  ), range as materialized (
    select rpad(a.digits, 32, '0')::uuid as low, rpad(a.digits, 32, 'f')::uuid as high
    from asked a
    where a.digits ~ '^[0-9a-f]{12,32}$'
  ), run_name as (
    (select r.name, 1 as number
     from tenuto.runs r
     where r.org_id = p_org_id and r.name >= p_text and 'run' = any (p_kinds)
     order by r.name
     limit 1)
    union all
    select (select r.name from tenuto.runs r where r.org_id = p_org_id and r.name > n.name order by r.name limit 1),
           n.number + 1
    from run_name n
    where n.number < p_limit and starts_with(n.name, p_text)
  ), named as (
    select 'type' as kind, t.type as name, 'task type' as about
    from tenuto.task_types t where t.org_id = p_org_id and 'type' = any (p_kinds)
    union all
    select 'worker', w.id, w.status from tenuto.workers w where w.org_id = p_org_id and 'worker' = any (p_kinds)
    union all
    select 'dataset', d.name, 'dataset'
    from tenuto.datasets d where d.org_id = p_org_id and d.deleted_at is null and 'dataset' = any (p_kinds)
    union all
    select 'dag', d.name, 'DAG'
    from tenuto.dags d where d.org_id = p_org_id and d.deleted_at is null and 'dag' = any (p_kinds)
    union all
    select 'queue', q.name, 'queue' from tenuto.queues q where q.org_id = p_org_id and 'queue' = any (p_kinds)
    union all
    select 'schedule', s.name, s.cron from tenuto.schedules s where s.org_id = p_org_id and 'schedule' = any (p_kinds)
  ), found as (
    select n.kind, n.name, n.about,
           row_number() over (partition by n.kind
             order by lower(n.name) <> a.text, not starts_with(lower(n.name), a.text), n.name) as number
    from named n
    cross join asked a
    where strpos(lower(n.name), a.text) > 0
  )
  (select 'run', r.id::text, coalesce(r.name, r.id::text), 'run'
   from tenuto.runs r   -- not a join with range: without a range, it would read all runs in the order of ids
   where r.id between (select g.low from range g) and (select g.high from range g)
     and r.org_id = p_org_id and 'run' = any (p_kinds)
   order by r.id
   limit p_limit)
  union all
  (select 'task', t.id::text, o.type, 'task'
   from tenuto.tasks t
   join tenuto.routes o on o.id = t.route_id
   where t.id between (select g.low from range g) and (select g.high from range g)
     and t.org_id = p_org_id and 'task' = any (p_kinds)
   order by t.id
   limit p_limit)
  union all
  select 'run', null, n.name, 'runs with this name' from run_name n where starts_with(n.name, p_text)
  union all
  select f.kind, null, f.name, f.about from found f where f.number <= p_limit;
$$;
