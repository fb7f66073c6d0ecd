-- The data objects among a task's inputs: named by its slots, or inside the outputs that flow into them.
create or replace function tenuto._task_objects(p_task_id uuid)
  returns setof uuid
  language sql
  stable
as $$
  select distinct coalesce(s.object_id, (case when s.source_position is null then a.output else a.output -> s.source_position end ->> '$object')::uuid)
  from tenuto.task_slots s
  left join tenuto.task_attempts a on a.task_id = s.source_task_id and a.end_no = 0
  where s.task_id = p_task_id
    and s.direction = 'input'
    and (s.object_id is not null
         or jsonb_typeof(case when s.source_position is null then a.output else a.output -> s.source_position end) = 'object');
$$;
