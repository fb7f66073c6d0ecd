-- Returns which of these tasks of jobs have ended, and whether a rollback cancelled them. completed is true for a
-- completed task whose events were routed. It is false for a task that ended in another way, or whose events cannot be
-- routed. A completed task whose events still have to be routed is not returned. A task that retention has deleted
-- counts as completed.
create or replace function tenuto._job_task_ends(p_org_id uuid, p_task_ids uuid[])
  returns table (task_id uuid, completed boolean, rolled_back boolean)
  language sql
  stable
  set plan_cache_mode = force_custom_plan
as $$
  select i.id, e.outcome = 'completed' and o.status is null, coalesce(a.rolled_back, false)
  from unnest(p_task_ids) i(id)
  left join lateral (
    select a.outcome, a.outcome = 'cancelled' and tenuto._is_rolled_back(a.error) as rolled_back
    from tenuto.task_attempts a
    where a.task_id = i.id and a.end_no = 0
    limit 1) a on true
  cross join lateral (
    select coalesce(a.outcome,
             case when not exists (select from tenuto.tasks t where t.id = i.id) then 'completed' end) as outcome) e
  left join lateral (
    select o.status
    from tenuto.outbox o
    where o.org_id = p_org_id and o.scope = 'route_event' and o.key = i.id::text and o.status <> 'done') o on true
  where e.outcome is not null and (e.outcome <> 'completed' or coalesce(o.status, 'dead') = 'dead');
$$;
