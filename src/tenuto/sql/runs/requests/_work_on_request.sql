-- Does the next part of the work of a request. The caller has locked the row of the request. The work and the position
-- in the request are committed together. So the next dispatcher that locks the request continues after the last
-- finished part, even after a crash.
create or replace function tenuto._work_on_request(p_request tenuto.run_requests)
  returns void
  language plpgsql
as $$
declare
  v_part tenuto.run_request_parts;
  v_listed record;
  v_queued tenuto.queued_task[];
begin
  if p_request.verb = 'delete_group' then
    perform tenuto._delete_group_runs(p_request);
    return;
  end if;
  if p_request.phase = 'list' then
    v_listed := tenuto._list_request(p_request);
    if p_request.verb = 'retry' then
      update tenuto.runs set total = total + v_listed.again, handlers = v_listed.handlers where id = p_request.run_id;
    end if;
    update tenuto.run_requests
    set phase = 'work', tasks = v_listed.tasks, worked_at = tenuto.now()
    where run_id = p_request.run_id and verb = p_request.verb;
    return;
  end if;

  select p.* into v_part
  from tenuto.run_request_parts p
  where p.run_id = p_request.run_id
    and p.verb = p_request.verb
    and p.no >= p_request.next_part
    and (p.again or p_request.phase = 'work')
  order by p.no
  limit 1;
  if not found then
    perform tenuto._end_phase(p_request);
    return;
  end if;

  if p_request.phase = 'release' then
    v_queued := tenuto._release_copies(p_request.base_id, v_part.task_ids);
    perform tenuto._make_ready(v_queued);
    perform tenuto._wake_queued(v_queued);
  elsif p_request.verb = 'cancel' then
    perform tenuto._cancel_tasks(v_part.task_ids, p_request.reason);
  elsif p_request.verb = 'delete' then
    perform tenuto._delete_tasks(v_part.task_ids);
  elsif v_part.again then
    perform tenuto._copy_tasks(p_request.run_id, 1, p_request.base_id, v_part.task_ids,
      case when v_part.replay then v_part.task_ids else '{}' end, p_request.from_name);
  else
    perform tenuto._carry_over_tasks(p_request.run_id, p_request.base_id, v_part.task_ids);
  end if;
  update tenuto.run_requests
  set next_part = v_part.no + 1,
      done      = done + case when phase = 'work' then cardinality(v_part.task_ids) else 0 end,
      worked_at = tenuto.now()
  where run_id = p_request.run_id and verb = p_request.verb;
end
$$;
