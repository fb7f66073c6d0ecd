-- Returns the output of a run: its declared outputs by position, otherwise those of its sinks in order (one sink: that
-- output itself), otherwise the single task's. Read from the tasks on request, never stored twice.
create or replace function tenuto.get_run_output(p_run_id uuid)
  returns jsonb
  language plpgsql
  stable
as $$
declare
  v_output jsonb;
  v_count int;
begin
  select jsonb_agg(
    case when s.source_position is null then a.output else a.output -> s.source_position end
    order by s.position)
  into v_output
  from tenuto.run_slots s
  left join tenuto.task_attempts a on a.task_id = s.source_task_id and a.end_no = 0
  where s.run_id = p_run_id;
  if v_output is not null then
    return v_output;
  end if;

  select jsonb_agg(a.output order by t.place, t.id), count(*)
  into v_output, v_count
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
    and not exists (select from tenuto.task_dependencies d where d.parent_id = t.id);
  return case when v_count = 1 then v_output -> 0 else v_output end;
end
$$;
