-- waiting -> queued, for the parents of children that just ended. Child and parent both lock the parent's row in
-- task_parents: the second to lock it sees what the first has done. Returns the queued tasks of the parents whose wait
-- is over.
create or replace function tenuto._notify_parents(p_ids uuid[])
  returns tenuto.queued_task[]
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_parents uuid[];
  v_counts int[];
  v_queued tenuto.queued_task[];
begin
  select array_agg(s.parent_id), array_agg(s.n)
  into v_parents, v_counts
  from (
    select t.parent_id, count(*)::int as n
    from tenuto.tasks t
    where t.id = any (p_ids) and t.parent_id is not null
    group by 1) s;
  if v_parents is null then
    return null;
  end if;
  perform from tenuto.task_parents where id = any (v_parents) order by id for update;

  update tenuto.task_parents p
  set open = p.open - n.n
  from unnest(v_parents, v_counts) n(id, n)
  where p.id = n.id;

  with told as (
    delete from tenuto.awaited_tasks where id = any (p_ids) returning parent_id
  )
  update tenuto.waiting_tasks w
  set remaining = w.remaining - n.n
  from (select parent_id, count(*)::int as n from told group by 1) n
  where w.id = n.parent_id and w.waits_for = 'children';

  with awake as (
    delete from tenuto.waiting_tasks
    where id = any (v_parents) and waits_for = 'children' and remaining <= 0
    returning *
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task order by id)
  into v_queued from awake;
  return v_queued;
end
$$;
