-- The inputs of a task by position: values, objects as {"$object": id}, and the outputs of other tasks.
create or replace function tenuto._task_slot_values(p_task_id uuid)
  returns jsonb
  language sql
  stable
as $$
  select jsonb_agg(
           case
             when s.object_id is not null then jsonb_build_object('$object', s.object_id)
             when s.source_task_id is null then s.value
             when s.source_position is null then a.output
             else a.output -> s.source_position
           end
           order by s.position)
  from tenuto.task_slots s
  left join tenuto.task_attempts a on a.task_id = s.source_task_id and a.end_no = 0
  where s.task_id = p_task_id
    and s.direction = 'input';
$$;
