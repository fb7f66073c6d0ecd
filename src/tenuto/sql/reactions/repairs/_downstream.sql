-- Returns which jobs react to the commits and events of a task: none, same (jobs that compute the same partition) or
-- all. Returns all, unless only backfills with another downstream option have started the task.
create or replace function tenuto._downstream(p_task_id uuid)
  returns text
  language sql
  stable
as $$
  select case when bool_or(t.downstream = 'all') then 'all'
              when bool_or(t.downstream = 'same') then 'same'
              when count(*) > 0 then 'none'
              else 'all' end
  from tenuto.repair_tasks t
  where t.task_id = p_task_id;
$$;
