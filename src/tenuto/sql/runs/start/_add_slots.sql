-- Writes the ordered inputs and outputs of a start. Raises an error if the type of an input differs from the type of
-- the output that it reads.
create or replace function tenuto._add_slots(
  p_org_id uuid, p_run_id uuid, p_ids uuid[], p_details jsonb, p_outputs jsonb)
  returns void
  language plpgsql
as $$
begin
  if jsonb_path_exists(p_details, '$[*] ? (exists (@.slots) || exists (@.outputs))') then
    insert into tenuto.task_slots (task_id, direction, position, org_id, type, value, object_id, source_task_id,
      source_position)
    select p_ids[d.task + 1], 'input', s.position - 1, p_org_id, coalesce(s.type, 'any'),
           case when s.object is null and s.task is null then coalesce(s.value, 'null') end, s.object,
           p_ids[s.task + 1],
           case when s.task is not null then s.output end
    from jsonb_to_recordset(p_details) as d(task int, slots jsonb)
    cross join lateral rows from (
      jsonb_to_recordset(d.slots) as (type text, value jsonb, object uuid, task int, output int)
    ) with ordinality as s(type, value, object, task, output, position);

    insert into tenuto.task_slots (task_id, direction, position, org_id, type)
    select p_ids[d.task + 1], 'output', o.position - 1, p_org_id, o.type
    from jsonb_to_recordset(p_details) as d(task int, outputs jsonb)
    cross join lateral jsonb_array_elements_text(d.outputs) with ordinality o(type, position);
    perform tenuto._check_slot_types(p_org_id, p_ids);
  end if;

  if p_outputs is null or p_outputs = 'null' then
    return;
  end if;
  perform tenuto._check_keys('an output of the run', o, array['type', 'task', 'output'])
  from jsonb_array_elements(p_outputs) o;
  perform tenuto._check_name('the type of an output of the run', o.type)
  from jsonb_to_recordset(p_outputs) as o(type text);
  if exists (select from jsonb_to_recordset(p_outputs) as o(task int) where p_ids[o.task + 1] is null) then
    perform tenuto._raise('TN003', 'an output of the run names a task that is not in the list of tasks');
  end if;
  insert into tenuto.run_slots (run_id, position, org_id, type, source_task_id, source_position)
  select p_run_id, o.position - 1, p_org_id, coalesce(o.type, 'any'), p_ids[o.task + 1], o.output
  from rows from (
    jsonb_to_recordset(p_outputs) as (type text, task int, output int)
  ) with ordinality as o(type, task, output, position);
end
$$;
