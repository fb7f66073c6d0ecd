-- Returns the input slots of a task, as stored. part: the position of the slot's value in the output that the slot
-- reads; null for the whole output. packed: true if the value is stored compressed. Every output is looked up by its
-- key, regardless of the statistics: a join read all ended attempts of a weekly partition that was not analyzed yet.
create or replace function tenuto._task_slots(p_task_id uuid)
  returns table (slot_no int, value jsonb, part int, packed boolean)
  language sql
  stable
as $$
  select s.position,
         case
           when s.object_id is not null then jsonb_build_object('$object', s.object_id)
           when s.source_task_id is null then s.value
           else a.output
         end,
         case when s.source_task_id is not null then s.source_position end,
         pg_column_compression(case when s.source_task_id is null then s.value else a.output end) is not null
  from tenuto.task_slots s
  left join lateral (
    select a.output from tenuto.task_attempts a where a.task_id = s.source_task_id and a.end_no = 0 limit 1) a on true
  where s.task_id = p_task_id
    and s.direction = 'input'
  order by s.position;
$$;
