-- running -> waiting: for children ({"for": "children", "tasks": [ids]}), a signal ({"for": "signal", "name": …}, with
-- the JSON Schema of its value as "schema" if the task declares its type) or a time ({"for": "time", "seconds": …}).
-- With "timeout_seconds", a wait for children or a signal ends after that time anyway. The attempt ends and does not
-- count against max_attempts, and its worker is free. If the awaited event has already happened, the task is queued at
-- once. Returns the same results as complete_tasks.
create or replace function tenuto.wait_tasks(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_waits jsonb[])
  returns table (task_id uuid, attempt int, result text)
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks[];
  v_queued tenuto.queued_task[];
  v_woken tenuto.queued_task[];
  v_waits tenuto.wait[];
  v_ready uuid[];
begin
  perform tenuto._check_fences(p_task_ids, p_attempts, cardinality(p_waits));
  v_waits := tenuto._read_waits(p_task_ids, p_attempts, p_waits);
  v_running := array(select t from tenuto._take_running(p_session_id, p_token, p_task_ids, p_attempts) t);
  select b.queued, b.woken into v_queued, v_woken from tenuto._return_attempts(v_running, 'waiting', true) b;
  v_waits := array(select w from unnest(v_waits) w join unnest(v_queued) c on c.id = w.id order by w.id);
  v_ready := tenuto._await_children(v_waits) || tenuto._await_signals(v_waits, v_queued);

  insert into tenuto.waiting_tasks
    (waiting_at, wake_at, id, org_id, run_id, route_id, group_no, priority, attempt, remaining,
     flags, waits_for, signal, signal_schema)
  select tenuto.now(), tenuto.now() + make_interval(secs => case when w.seconds < 0 then 0 else w.seconds end),
         c.id, c.org_id, c.run_id, c.route_id, c.group_no, c.priority, c.attempt,
         case when w.waits_for = 'children'
              then (select count(*) from tenuto.awaited_tasks a where a.parent_id = c.id) end,
         c.flags, w.waits_for, w.signal, w.schema
  from unnest(v_waits) w
  join unnest(v_queued) c on c.id = w.id
  where w.id <> all (v_ready);

  perform tenuto._make_ready(array(select c from unnest(v_queued) c where c.id = any (v_ready)) || v_woken,
                             array(select r.id from unnest(v_running) r where tenuto._has_limits(r.flags)));
  return query
  select *
  from tenuto._report_results(p_session_id, p_token, p_task_ids, p_attempts,
    array(select r.id from unnest(v_running) r), 'waiting');
end
$$;
