-- pending -> cancelled | skipped: the dependents of tasks that just ended which can no longer run, and theirs; those that
-- may go on are counted down. Everything it may touch is locked first, in id order, whatever the outcomes; then it is
-- worked out again on what is still pending: a row gone meanwhile was ended by another transaction, which told its
-- dependents itself. Returns the cards to make ready, and the ended tasks that have a parent, which the caller tells.
-- Edges are looked up by index for one task after the other: no plan depends on statistics (50,000 dependents in a new
-- week, 2 cores: 1 s; as a join of the planner's choice over a minute).
create or replace function tenuto._doom(p_ids uuid[], p_outcomes text[], out cards tenuto.card[], out owned uuid[])
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set jit = off
as $$
declare
  v_ids uuid[];
  v_fates text[];
  v_optional boolean[];
  v_doomed uuid[];
  v_skipped uuid[];
  v_ended tenuto.card[];
  v_children uuid[];
  v_counts int[];
begin
  perform from tenuto.pending_tasks where id = any (tenuto._dependents(p_ids, p_outcomes)) order by id for update;

  select array_agg(e.id), array_agg(e.fate), array_agg(e.optional)
  into v_ids, v_fates, v_optional
  from tenuto._doomed(p_ids, p_outcomes) e;
  select coalesce(array_agg(e.id), '{}'), coalesce(array_agg(e.id) filter (where e.fate = 'skipped'), '{}')
  into v_doomed, v_skipped
  from unnest(v_ids, v_fates) e(id, fate)
  where not e.id = any (p_ids);

  select array_agg(s.child_id), array_agg(s.edges)
  into v_children, v_counts
  from (
    select d.child_id, count(*)::int as edges
    from unnest(v_ids, v_fates, v_optional) e(id, fate, optional)
    cross join lateral (select d.child_id, d.runs_on from tenuto.task_dependencies d where d.parent_id = e.id offset 0) d
    where tenuto._edge_fate(d.runs_on, e.fate, e.optional) = 'satisfied'
      and not d.child_id = any (v_doomed)
    group by d.child_id
  ) s;

  if cardinality(v_doomed) > 0 then
    with ended as (
      delete from tenuto.pending_tasks where id = any (v_doomed) returning *
    )
    select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, traits)::tenuto.card)
    into v_ended from ended;
    perform tenuto._record_ends(array(select e from unnest(v_ended) e where not e.id = any (v_skipped)),
      'cancelled', '{"reason": "a task it depends on did not complete"}');
    perform tenuto._record_ends(array(select e from unnest(v_ended) e where e.id = any (v_skipped)), 'skipped', null);
    owned := array(select e.id from unnest(v_ended) e where tenuto._owned(e.traits));
  end if;
  cards := tenuto._count_down(v_children, v_counts);
end
$$;
