-- Returns the tasks in p_ids that have the status p_status. Makes one look-up per task and table, because task_status
-- reads much more.
create or replace function tenuto._tasks_with_status(p_ids uuid[], p_status text)
  returns setof uuid
  language sql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
  select i.id
  from unnest(p_ids) i(id)
  left join lateral (
    select a.outcome from tenuto.task_attempts a where a.task_id = i.id and a.end_no = 0 limit 1
  ) f on true
  left join lateral (select u.id from tenuto.running_tasks u where u.id = i.id limit 1) u on true
  left join lateral (select r.id from tenuto.ready_tasks r where r.id = i.id limit 1) r on true
  left join lateral (select d.reason from tenuto.delayed_tasks d where d.id = i.id limit 1) d on true
  left join lateral (select w.waits_for from tenuto.waiting_tasks w where w.id = i.id limit 1) w on true
  where tenuto._live_status(f.outcome, u.id is not null, r.id is not null, d.reason, w.waits_for) = p_status;
$$;
