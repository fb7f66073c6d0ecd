-- waiting -> queued, for those of the tasks that are stranded (_stranded_waits). Locks their rows in task_parents
-- before those in waiting_tasks, as a child that ends does. Skips rows that another transaction has locked. Returns the
-- queued tasks to make ready.
create or replace function tenuto._repair_waits(p_ids uuid[])
  returns tenuto.queued_task[]
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
declare
  v_ids uuid[];
  v_queued tenuto.queued_task[];
begin
  v_ids := array(
    select p.id from tenuto.task_parents p where p.id = any (p_ids) order by p.id for update skip locked);
  v_ids := array(
    select w.id from tenuto.waiting_tasks w
    where w.id = any (p_ids)
      and (w.id = any (v_ids) or not exists (select from tenuto.task_parents p where p.id = w.id))
    order by w.id
    for update skip locked);
  v_ids := array(select w.id from tenuto._stranded_waits(v_ids) w);   -- sees what was committed before the locks
  with awake as (
    delete from tenuto.waiting_tasks where id = any (v_ids) returning *
  ), notes as (
    delete from tenuto.awaited_tasks where parent_id = any (v_ids)
  )
  select array_agg((id, org_id, run_id, route_id, group_no, priority, attempt, flags)::tenuto.queued_task order by id)
  into v_queued from awake;
  return v_queued;
end
$$;
