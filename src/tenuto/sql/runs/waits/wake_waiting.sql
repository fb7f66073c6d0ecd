-- waiting -> queued, for tasks whose time has come or whose wait timed out. Locks the rows of these tasks in
-- task_parents too, as a child that ends does. Waits for no lock, so that the two cannot deadlock, and tasks that
-- another transaction has locked do not count for p_limit. With p_keys, processes only these tasks, even if they are
-- parked.
create or replace function tenuto.wake_waiting(p_limit int default 1000, p_keys text[] default null)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('wake_waiting', p_keys);
  v_floors tenuto.due_floors := tenuto._due_floors(p_keys);
  v_queued tenuto.queued_task[];
begin
  with parents as materialized (
    select w.id
    from tenuto.waiting_tasks w
    join tenuto.task_parents p on p.id = w.id
    where w.wake_at between v_floors.wake_at and tenuto.now()
      and (p_keys is null or w.id = any (p_keys::uuid[]))
      and w.id <> all (v_parked)
    order by w.wake_at
    limit p_limit
    for update of p, w skip locked
  ), others as materialized (
    select w.id
    from tenuto.waiting_tasks w
    where w.wake_at between v_floors.wake_at and tenuto.now()
      and (p_keys is null or w.id = any (p_keys::uuid[]))
      and w.id <> all (v_parked)
      and not exists (select from tenuto.task_parents p where p.id = w.id)
    order by w.wake_at
    limit p_limit
    for update skip locked
  ), due as (
    select p.id from parents p union all select o.id from others o
  ), gone as (
    delete from tenuto.waiting_tasks w using due where w.id = due.id returning w.*
  ), notes as (
    delete from tenuto.awaited_tasks a using due where a.parent_id = due.id
  )
  select array_agg(
    (id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task order by wake_at)
  into v_queued from gone;
  if v_queued is not null then
    perform tenuto._make_ready(v_queued);
    perform tenuto._wake_queued(v_queued);
  end if;
  return coalesce(cardinality(v_queued), 0);
end
$$;
