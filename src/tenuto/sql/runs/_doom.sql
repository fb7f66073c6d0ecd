-- pending -> cancelled | skipped: the dependents that can no longer run, and theirs; those that may go on are counted
-- down. Everything it may touch is locked first, in id order; then it is worked out again on what is still pending:
-- a row gone meanwhile was ended by another transaction, which told its dependents itself.
create or replace function tenuto._doom(p_ids uuid[], p_outcome text)
  returns tenuto.card[]
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_doomed uuid[];
  v_fates text[];
  v_ended tenuto.card[];
  v_children uuid[];
  v_counts int[];
begin
  perform from tenuto.pending_tasks
  where id in (
    select d.child_id
    from tenuto._doomed(p_ids, p_outcome) e
    join tenuto.task_dependencies d on d.parent_id = e.id
  )
  order by id for update;

  select array_agg(id), array_agg(fate) into v_doomed, v_fates from tenuto._doomed(p_ids, p_outcome) where id <> all (p_ids);

  select array_agg(s.child_id), array_agg(s.edges)
  into v_children, v_counts
  from (
    select d.child_id, count(*)::int as edges
    from tenuto._doomed(p_ids, p_outcome) e
    join tenuto.tasks t on t.id = e.id
    join tenuto.task_dependencies d on d.parent_id = e.id
    where tenuto._edge_fate(d.runs_on, e.fate, t.optional) = 'satisfied'
      and d.child_id <> all (coalesce(v_doomed, '{}'))
    group by d.child_id
  ) s;

  if v_doomed is not null then
    with ended as (
      delete from tenuto.pending_tasks where id = any (v_doomed) returning *
    )
    select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, traits)::tenuto.card)
    into v_ended from ended;
    perform tenuto._record_ends(array(select e from unnest(v_ended) e join unnest(v_doomed, v_fates) f(id, fate) on f.id = e.id and f.fate = 'cancelled'),
      'cancelled', '{"reason": "a task it depends on did not complete"}');
    perform tenuto._record_ends(array(select e from unnest(v_ended) e join unnest(v_doomed, v_fates) f(id, fate) on f.id = e.id and f.fate = 'skipped'),
      'skipped', null);
  end if;

  return tenuto._count_down(v_children, v_counts)
         || case when v_ended is not null then tenuto._tell_parents(array(select e.id from unnest(v_ended) e where tenuto._owned(e.traits))) end;
end
$$;
