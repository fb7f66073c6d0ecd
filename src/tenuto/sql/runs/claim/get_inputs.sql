-- Returns the inputs that a claim left out because they were too large, as JSON texts: the input and metadata of the
-- task (only with p_first = 0), and its slots with the number p_first or higher. A call returns slots until they have
-- more than 16 MB together. To read the rest, call it again with the number of the next slot as p_first. Raises TN005
-- if the session does not hold the attempt.
create or replace function tenuto.get_inputs(
  p_session_id bigint, p_token uuid, p_task_id uuid, p_attempt int, p_first int default 0)
  returns table (part text, slot_no int, value text)
  language plpgsql
  stable
as $$
declare
  v_task tenuto.tasks;
  v_bytes bigint := 0;
begin
  perform tenuto._find_attempt(p_session_id, p_token, p_task_id, p_attempt);
  if p_first = 0 then
    select t.* into v_task from tenuto.tasks t where t.id = p_task_id;
    return query values ('input', null::int, v_task.input::text), ('metadata', null, v_task.metadata::text);
  end if;

  part := 'slot';
  for slot_no, value in
    select s.slot_no, coalesce(case when s.part is null then s.value else s.value -> s.part end, 'null')::text
    from tenuto._task_slots(p_task_id) s
    where s.slot_no >= p_first
    order by s.slot_no
  loop
    return next;
    v_bytes := v_bytes + octet_length(value);
    exit when v_bytes > 16000000;
  end loop;
end
$$;
