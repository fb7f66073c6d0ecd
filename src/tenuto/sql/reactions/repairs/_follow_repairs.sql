-- Makes a repair also wait for the tasks that start because its tasks have committed data. Makes an invalidation wait
-- for the tasks that its events start. If a queued task of a repair takes over an event that does not come from a
-- repair, the task no longer belongs to the repair alone: all jobs react to its commit, and cancelling the repair does
-- not cancel it.
create or replace function tenuto._follow_repairs(p_job tenuto.jobs, p_starts tenuto.event_start[])
  returns void
  language plpgsql
  set plan_cache_mode = force_custom_plan
as $$
begin
  insert into tenuto.repair_tasks (repair_id, task_id, org_id, job_key, partition_key, direct, owned, downstream)
  select distinct on (r.repair_id, s.task_id)
         r.repair_id, s.task_id, p_job.org_id, p_job.job_key, s.partition, r.direct, s.is_first, r.downstream
  from unnest(p_starts) s
  join tenuto.events e on e.id = s.event_id
  cross join lateral (
    select t.repair_id, false as direct, t.downstream
    from tenuto.repair_tasks t
    where t.task_id = e.task_id and t.owned
    union all
    select (e.data #>> '{invalidation,id}')::uuid, true, 'all'
    where e.task_id is null and e.data ? 'invalidation') r
  order by r.repair_id, s.task_id, s.is_first desc
  on conflict do nothing;

  update tenuto.repair_tasks t
  set owned = false, downstream = 'all'
  from unnest(p_starts) s
  join tenuto.events e on e.id = s.event_id
  where t.task_id = s.task_id
    and not s.is_first
    and e.task_id is not null
    and not exists (select from tenuto.repair_tasks c where c.task_id = e.task_id and c.owned);
end
$$;
