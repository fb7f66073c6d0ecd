-- running -> queued, not before p_seconds have passed. The attempt does not count against max_attempts. Returns the
-- same results as complete_tasks.
create or replace function tenuto.snooze_tasks(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_seconds float8[])
  returns table (task_id uuid, attempt int, result text)
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks[];
  v_queued tenuto.queued_task[];
  v_woken tenuto.queued_task[];
begin
  perform tenuto._check_fences(p_task_ids, p_attempts, cardinality(p_seconds));
  perform tenuto._check_seconds(p_seconds);
  v_running := array(select t from tenuto._take_running(p_session_id, p_token, p_task_ids, p_attempts) t);
  select b.queued, b.woken into v_queued, v_woken from tenuto._return_attempts(v_running, 'snoozed', true) b;

  insert into tenuto.delayed_tasks
    (available_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags, reason)
  select tenuto.now() + make_interval(secs => greatest(0, s.seconds)), c.id, c.org_id, c.run_id, c.route_id, c.group_no,
         c.priority, c.attempt, c.flags, 'snooze'
  from unnest(v_queued) c
  join (select r.id, r.attempt, max(r.seconds) as seconds
        from unnest(p_task_ids, p_attempts, p_seconds) as r(id, attempt, seconds)
        group by 1, 2) s on s.id = c.id and s.attempt = c.attempt;

  perform tenuto._make_ready(v_woken, array(select r.id from unnest(v_running) r where tenuto._has_limits(r.flags)));
  return query
  select *
  from tenuto._report_results(p_session_id, p_token, p_task_ids, p_attempts,
    array(select r.id from unnest(v_running) r), 'snoozed');
end
$$;
