-- Raises an error unless every type is a valid name, and every object belongs to the org. Also raises an error if an
-- input reads one output of another task by its position, and this output is not declared or has another type (`any`
-- fits every type). Adds a reference from each task to the data objects in its slots.
create or replace function tenuto._check_slot_types(p_org_id uuid, p_ids uuid[])
  returns void
  language plpgsql
as $$
declare
  v_bad record;
begin
  perform tenuto._check_name(format('the type of %s %s of task %s', i.direction, i.position, i.task_id), i.type)
  from tenuto.task_slots i
  where i.task_id = any (p_ids) and octet_length(i.type) not between 1 and 256;

  select i.task_id, i.position, i.type, i.source_task_id, i.source_position, o.type as found
  into v_bad
  from tenuto.task_slots i
  left join tenuto.task_slots o
    on o.task_id = i.source_task_id and o.direction = 'output' and o.position = i.source_position
  where i.task_id = any (p_ids)
    and i.direction = 'input'
    and i.source_position is not null
    and (o.type is null or (o.type <> i.type and 'any' not in (o.type, i.type)))
  limit 1;
  if found then
    perform tenuto._raise('TN003', format('input %s of task %s takes %s, but output %s of task %s is %s',
      v_bad.position, v_bad.task_id, v_bad.type, v_bad.source_position, v_bad.source_task_id,
      coalesce(v_bad.found, 'not declared')));
  end if;

  select i.task_id, i.position, i.object_id
  into v_bad
  from tenuto.task_slots i
  where i.task_id = any (p_ids)
    and i.object_id is not null
    and not exists (select from tenuto.data_objects d where d.org_id = p_org_id and d.id = i.object_id)
  limit 1;
  if found then
    perform tenuto._raise('TN001',
      format('input %s of task %s: no data object %s', v_bad.position, v_bad.task_id, v_bad.object_id));
  end if;

  insert into tenuto.data_references (object_id, holder, holder_id, org_id)
  select distinct i.object_id, 'task', i.task_id, p_org_id
  from tenuto.task_slots i
  where i.task_id = any (p_ids) and i.object_id is not null
  on conflict do nothing;
end
$$;
