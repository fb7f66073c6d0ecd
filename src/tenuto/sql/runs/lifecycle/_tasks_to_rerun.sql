-- Returns what a retry does with the tasks of a run: executes them again, or keeps them as they ended (again = false).
-- With p_reuse, it executes tasks that failed or were cancelled, all tasks that depend on such a task, and handlers
-- that have ended. Every kind of edge counts, because `continue` and `failed` edges are decided again. Without p_reuse,
-- it executes all tasks. With p_from_name, it also executes tasks without a parent that have this name or type, or that
-- recorded a step of this name. replay is true if the task continues after its recorded steps. This needs p_reuse and
-- three conditions: the task failed, was cancelled or recorded the step p_from_name; p_from_name is not its own name or
-- type; no task that it depends on runs again. _recorded_children decides about the recorded children of such a task.
-- Other children of a task that runs again are left out, because the task starts them itself. Tasks that a later
-- attempt of the run has replaced by copies are left out. A failed child of a completed parent runs again only if its
-- failure made the run fail: otherwise its parent handled the failure.
create or replace function tenuto._tasks_to_rerun(p_run_id uuid, p_reuse boolean, p_from_name text)
  returns table (id uuid, place int, again boolean, replay boolean, handler text, outcome text)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set enable_nestloop = off   -- nested loops only for lateral lookups: joining a run with itself must not be n^2
  set enable_mergejoin = off
  set enable_seqscan = off    -- lookups use indexes, even if statistics say that a table is empty
  set jit = off
as $$
  with recursive every as materialized (
    select t.id, t.parent_id, t.place, t.handler, t.optional, t.copy_of, a.outcome, f.named, f.stepped
    from tenuto._run_tasks(p_run_id) t
    left join lateral (
      select a.outcome from tenuto.task_attempts a where a.task_id = t.id and a.end_no = 0 limit 1) a on true
    left join lateral (
      select p_from_name in (t.name, (select r.type from tenuto.routes r where r.id = t.route_id)) as named,
             exists (select from tenuto.task_steps s where s.task_id = t.id and s.name = p_from_name) as stepped
      where p_from_name is not null and t.parent_id is null and t.handler is null
    ) f on true
  ), old as materialized (
    select e.*
    from every e
    where e.outcome is not null and not exists (select from every c where c.copy_of = e.id)
  ), again(id, depends) as (
    select o.id, false
    from old o
    where case
        when o.named or o.stepped then true
        when o.parent_id is null then not p_reuse or o.handler is not null or o.outcome in ('failed', 'cancelled')
        else p_reuse and (o.outcome = 'cancelled' or (o.outcome = 'failed' and not o.optional and not coalesce((
          select bool_and(d.runs_on = 'continue') from tenuto.task_dependencies d where d.parent_id = o.id), false)))
      end
    union
    select o.id, true
    from again g
    cross join lateral (select d.child_id from tenuto.task_dependencies d where d.parent_id = g.id offset 0) d
    cross join lateral (select t.id from tenuto.tasks t where t.id = d.child_id and t.run_id = p_run_id limit 1) o
  ), due as materialized (   -- grouping also keeps the planner's estimate of a recursive query from growing
    select g.id, bool_or(g.depends) as depends from again g group by g.id
  ), below(id) as (
    select e.id
    from every e
    join (select d.id from due d union select c.copy_of from every c where c.copy_of is not null) p
      on p.id = e.parent_id
    union
    select c.id
    from below b
    cross join lateral (
      select t.id from tenuto.tasks t where t.parent_id = b.id and t.run_id = p_run_id offset 0) c
  ), chosen as materialized (
    select d.id, d.depends
    from due d
    join old o on o.id = d.id
    where not exists (select from (select distinct b.id from below b) b where b.id = d.id)
  ), sources(id) as (   -- the tasks that a chosen task reads from, and their parents, are kept
    select n.id
    from chosen c
    join old o on o.id = c.id
    cross join lateral (
      select d.parent_id as id from tenuto.task_dependencies d where d.child_id = c.id union all select o.parent_id
    ) n
    union
    select p.parent_id
    from sources s
    cross join lateral (select t.parent_id from tenuto.tasks t where t.id = s.id and t.run_id = p_run_id limit 1) p
  ), listed as materialized (
    select o.id, o.place, c.id is not null as again,
           c.id is not null and p_reuse and not c.depends and o.named is not true
             and (o.stepped or o.outcome in ('failed', 'cancelled')) as replay,
           o.handler, o.outcome
    from old o
    left join chosen c on c.id = o.id
    left join (select distinct s.id from sources s) s on s.id = o.id
    where c.id is not null
       or (p_reuse and o.outcome in ('completed', 'skipped') and (o.parent_id is null or s.id is not null))
  )
  select l.* from listed l
  union all
  select c.id, c.place, c.again, c.replay, null, c.outcome
  from (select array_agg(l.id) filter (where l.replay) as ids from listed l) r
  cross join lateral tenuto._recorded_children(r.ids, p_from_name) c;
$$;
