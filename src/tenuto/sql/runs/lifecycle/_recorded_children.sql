-- For tasks that replay their steps (p_replay), returns what a retry does with the children that they have recorded,
-- and with the tasks below these children. A child that completed or was skipped is kept. A child that failed or was
-- cancelled runs again and replays its own steps; its dependents run again. A child whose failure its parent handled is
-- kept as a failed task. A child whose failure made the run fail runs again, even if its parent completed. Uses one
-- index lookup per child, regardless of the statistics.
create or replace function tenuto._recorded_children(p_replay uuid[], p_from_name text)
  returns table (id uuid, place int, again boolean, replay boolean, outcome text)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  with recursive tree(id, outcome, again, replay, via, via_id) as (
    select p.id, null::text, true, true, 'start', null::uuid
    from unnest(p_replay) p(id)
    union
    select n.id, a.outcome, n.again, n.again and n.via <> 'edge', n.via, p.id
    from tree p
    cross join lateral (
      select c.id, 'step' as via, not c.kept as again
      from tenuto._children_in_steps(p.id, p_from_name) c
      where p.replay
      union all
      select d.child_id, 'edge', true
      from tenuto.task_dependencies d
      where p.again and p.via <> 'start' and d.parent_id = p.id
      union all
      select t.id, 'parent', true
      from tenuto.tasks t
      where not p.again and p.outcome = 'completed' and t.parent_id = p.id
    ) n
    cross join lateral (
      select a.outcome from tenuto.task_attempts a where a.task_id = n.id and a.end_no = 0 limit 1) a
    where n.via <> 'parent'
       or a.outcome = 'cancelled'
       or (a.outcome = 'failed' and not tenuto._failure_is_tolerated(n.id))
  ), merged as materialized (   -- a child may be reached both by its parent's step and by an edge
    select t.id, min(t.outcome) as outcome, bool_or(t.again) as again,
           bool_or(t.again) and bool_and(t.replay or not t.again) as replay
    from tree t
    group by t.id
  ), reached(id) as (   -- a child is included only if its parent is included
    select unnest(p_replay)
    union
    select t.id
    from reached r
    join merged p on p.id = r.id
    join tree t on t.via_id = p.id
    where t.via = 'edge' or (p.replay and t.via = 'step') or (not p.again and t.via = 'parent')
  )
  select m.id, k.place, m.again, m.replay, m.outcome
  from reached r
  join merged m on m.id = r.id and m.outcome is not null
  cross join lateral (select k.place from tenuto.tasks k where k.id = m.id limit 1) k;
$$;
