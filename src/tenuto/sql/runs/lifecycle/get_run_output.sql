-- Returns the output of a run. If the run declares outputs, these are returned by position. Otherwise returns the
-- outputs of its completed tasks that have no dependents and no parent, in the order in which the tasks were passed. If
-- there is only one such task, returns its output itself, not a list. The output is read from the tasks on request,
-- never stored twice. Outputs of more than 16 MB together are omitted: each task still shows its own output.
create or replace function tenuto.get_run_output(p_run_id uuid)
  returns tenuto.run_output
  language plpgsql
  stable
as $$
declare
  v_declared boolean := exists (select from tenuto.run_slots s where s.run_id = p_run_id);
  v_cursor refcursor;
  v_output jsonb;
  v_outputs jsonb[] := '{}';
  v_bytes bigint := 0;
begin
  if v_declared then
    open v_cursor for
      select case when s.source_position is null then a.output else a.output -> s.source_position end
      from tenuto.run_slots s
      left join tenuto.task_attempts a on a.task_id = s.source_task_id and a.end_no = 0
      where s.run_id = p_run_id
      order by s.position;
  else
    open v_cursor for
      select a.output
      from tenuto._run_tasks(p_run_id) t
      join tenuto.task_attempts a on a.task_id = t.id and a.end_no = 0 and a.outcome = 'completed'
      left join (   -- tasks that a later attempt of the run executed again
        select distinct c.copy_of as id
        from tenuto._run_tasks(p_run_id) c
        where c.run_attempt > 1 and (select r.attempt > 1 from tenuto.runs r where r.id = p_run_id)
      ) o on o.id = t.id
      where o.id is null
        and t.parent_id is null
        and t.handler is null
        and not exists (select from tenuto.task_dependencies d where d.parent_id = t.id)
      order by t.place, t.id;
  end if;
  loop
    fetch v_cursor into v_output;
    exit when not found;
    v_bytes := v_bytes + coalesce(octet_length(v_output::text), 0);
    exit when v_bytes > tenuto._max_output_bytes();
    v_outputs := array_append(v_outputs, v_output);
  end loop;
  close v_cursor;
  if v_bytes > tenuto._max_output_bytes() then
    return (null, true)::tenuto.run_output;
  end if;
  return (
    case
      when v_outputs = '{}' then null
      when cardinality(v_outputs) = 1 and not v_declared then v_outputs[1]
      else to_jsonb(v_outputs)
    end,
    false)::tenuto.run_output;
end
$$;
