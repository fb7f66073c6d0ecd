-- Returns which jobs react to the commits and events of a task: none, those that read the same partition, or all. All,
-- unless only backfills that say otherwise have started it.
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
