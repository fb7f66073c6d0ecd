-- Returns what a retry does with the tasks of a run: executes them again, or keeps them as they ended (again = false).
-- With p_reuse: executes tasks that failed or were cancelled, everything that depends on such a task, whatever the edge
-- (`continue` and `failed` edges are decided again), and handlers that ran; without it, all. Tasks that an attempt of
-- the run copied are left out, and so are their children. Children of a task that runs again are left out: it starts
-- its own. A failed child of a parent that completed runs again only if it failed the run: otherwise its parent handled
-- the failure.
create or replace function tenuto._tasks_to_rerun(p_run_id uuid, p_reuse boolean)
  returns table (id uuid, place int, again boolean, handler text, outcome text)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set enable_nestloop = off   -- except look-ups: joining a run with itself must not be n^2 without statistics
  set jit = off
as $$
  with recursive every as materialized (
    select t.id, t.parent_id, t.place, t.handler, t.optional, t.copy_of, a.outcome
    from tenuto._run_tasks(p_run_id) t
    left join lateral (
      select a.outcome from tenuto.task_attempts a where a.task_id = t.id and a.end_no = 0 limit 1) a on true
  ), old as materialized (
    select e.*
    from every e
    where e.outcome is not null and not exists (select from every c where c.copy_of = e.id)
  ), again(id) as (
    select o.id
    from old o
    where case
        when o.parent_id is null then not p_reuse or o.handler is not null or o.outcome in ('failed', 'cancelled')
        else p_reuse and (o.outcome = 'cancelled' or (o.outcome = 'failed' and not o.optional and not coalesce((
          select bool_and(d.runs_on = 'continue') from tenuto.task_dependencies d where d.parent_id = o.id), false)))
      end
    union
    select o.id
    from again g
    cross join lateral (select d.child_id from tenuto.task_dependencies d where d.parent_id = g.id offset 0) d
    join old o on o.id = d.child_id
  ), below(id) as (
    select e.id from every e join (select id from again union select copy_of from every) g on g.id = e.parent_id
    union
    select e.id from below b join every e on e.parent_id = b.id
  ), chosen as materialized (
    select id from again except select id from below
  ), sources(id) as (   -- tasks that a chosen task reads from, and its parents, stay beside it
    select n.id
    from chosen c
    join old o on o.id = c.id
    cross join lateral (
      select d.parent_id as id from tenuto.task_dependencies d where d.child_id = c.id union all select o.parent_id
    ) n
    union
    select e.parent_id from sources s join every e on e.id = s.id
  )
  select o.id, o.place, c.id is not null, o.handler, o.outcome
  from old o
  left join chosen c on c.id = o.id
  left join sources s on s.id = o.id
  where c.id is not null
     or (p_reuse and o.outcome in ('completed', 'skipped') and (o.parent_id is null or s.id is not null));
$$;
