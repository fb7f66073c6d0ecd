-- Subtracts satisfied edges from the counters of pending tasks. Their rows are locked first, in id order, and the
-- counter is read under the lock. A task whose counter reaches zero is removed from pending_tasks. If its start time
-- has not come, it is delayed; otherwise it is returned as a queued task.
create or replace function tenuto._count_down(p_ids uuid[], p_counts int[])
  returns tenuto.queued_task[]
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
declare
  v_free uuid[];
  v_less uuid[];
  v_edges int[];
  v_n int;
  v_queued tenuto.queued_task[];
begin
  select array_agg(t.id) filter (where p.remaining = t.n),
         array_agg(t.id) filter (where p.remaining > t.n), array_agg(t.n) filter (where p.remaining > t.n)
  into v_free, v_less, v_edges
  from (select u.id, u.n from unnest(p_ids, p_counts) as u(id, n) order by u.id) t
  cross join lateral (
    select q.remaining from tenuto.pending_tasks q where q.id = t.id limit 1 for update
  ) p;

  for v_n in select distinct n from unnest(v_edges) n
  loop
    update tenuto.pending_tasks
    set remaining = remaining - v_n
    where id = any (array(select t.id from unnest(v_less, v_edges) as t(id, n) where t.n = v_n));
  end loop;

  with free as (
    delete from tenuto.pending_tasks
    where id = any (v_free)
    returning available_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags
  ), delayed as (
    insert into tenuto.delayed_tasks (available_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags,
      reason)
    select available_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags, 'delay'
    from free
    where available_at > tenuto.now()
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task order by id)
  into v_queued
  from free
  where available_at is null or available_at <= tenuto.now();
  return v_queued;
end
$$;
