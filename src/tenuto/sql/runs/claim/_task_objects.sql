-- Returns the data objects among a task's inputs: objects in its slots, and objects in those outputs of other tasks
-- that its slots read. A value with a "$object" that is not an id is ignored, because otherwise the task that returned
-- it could not complete.
create or replace function tenuto._task_objects(p_task_id uuid)
  returns setof uuid
  language sql
  stable
as $$
  select distinct coalesce(
    s.object_id,
    substring(v.value ->> '$object' from '(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$')::uuid)
  from tenuto.task_slots s
  left join lateral (   -- read by key, regardless of the statistics
    select a.output from tenuto.task_attempts a where a.task_id = s.source_task_id and a.end_no = 0 limit 1) a on true
  cross join lateral (
    select case when s.source_position is null then a.output else a.output -> s.source_position end as value) v
  where s.task_id = p_task_id
    and s.direction = 'input'
    and (s.object_id is not null or jsonb_typeof(v.value) = 'object');
$$;
