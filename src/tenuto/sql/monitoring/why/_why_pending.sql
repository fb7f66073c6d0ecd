-- Returns why a task is pending: the tasks that it waits for, or that its run is held, was just released or was
-- cancelled, or that it is a handler.
create or replace function tenuto._why_pending(p_pending tenuto.pending_tasks)
  returns text
  language plpgsql
  stable
as $$
declare
  v_names text;
  v_count bigint;
begin
  if p_pending.held then
    return coalesce(
      (select 'its run was released' || tenuto._why_not_moved(q.requested_at)
       from tenuto.release_requests q
       where q.run_id = p_pending.run_id),
      (select format('its run is held since %s; `tenuto runs release %s` lets it start',
                     tenuto._format_time(h.held_at), h.run_id)
       from tenuto.held_runs h
       where h.run_id = p_pending.run_id),
      'its run was cancelled');
  end if;
  select string_agg(s.name, ', ' order by s.no) filter (where s.no <= 3), count(*)
  into v_names, v_count
  from (
    select format('%s %s (%s)', coalesce(t.name, t.type), t.id, t.status) as name,
           row_number() over (order by t.position, t.id) as no
    from tenuto.task_dependencies d
    join tenuto.task_status t on t.id = d.parent_id
    where d.child_id = p_pending.id and t.completed_at is null
  ) s;
  if v_count = 0 then
    return case when p_pending.handler is not null
                then format('it runs after all other tasks of its run, if the run ends as %s', p_pending.handler)
                else 'the last task it waited for has just ended' end;
  end if;
  return format('it waits for %s%s', v_names,
    case when v_count > 3 then format(' and %s more', v_count - 3) else '' end);
end
$$;
