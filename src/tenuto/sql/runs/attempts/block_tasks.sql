-- running -> waiting | queued, for attempts whose code called another step than an earlier attempt recorded. Only a
-- worker with other code can continue such a task. The attempt does not count against max_attempts. p_mismatches:
-- {"step_no": 2, "expected": "step 'charge'", "found": "sleep"} per task, stored in its history. p_versions: the code
-- version that ran each attempt, if it is not the code version with which the worker registered. The task gets a route
-- that workers with the code version of the attempt do not serve. If a worker with other code is alive, the task is
-- queued: at once, or after a growing pause if that worker's code version may have tried the task before. Otherwise the
-- task waits for such a worker. Returns the same results as complete_tasks.
create or replace function tenuto.block_tasks(
  p_session_id bigint, p_token uuid, p_task_ids uuid[], p_attempts int[], p_mismatches jsonb[],
  p_versions text[] default null)
  returns table (task_id uuid, attempt int, result text)
  language plpgsql
as $$
declare
  v_running tenuto.running_tasks[];
  v_returned tenuto.queued_task[];
  v_queued tenuto.queued_task[];
  v_woken tenuto.queued_task[];
  v_served uuid[];
  v_tried uuid[];
begin
  perform tenuto._check_fences(p_task_ids, p_attempts, cardinality(p_mismatches));
  perform tenuto._check_fences(p_task_ids, p_attempts, coalesce(cardinality(p_versions), cardinality(p_task_ids)));
  perform tenuto._check_mismatch(m) from unnest(p_mismatches) m;
  perform tenuto._check_name('a code version', v, 64) from unnest(p_versions) v;
  v_running := array(select t from tenuto._take_running(p_session_id, p_token, p_task_ids, p_attempts) t);
  select b.queued, b.woken
  into v_returned, v_woken
  from tenuto._return_attempts(v_running, 'blocked', true, (
    select jsonb_object_agg(r.id, r.mismatch)
    from unnest(p_task_ids, p_mismatches) as r(id, mismatch))) b;
  v_queued := tenuto._route_to_other_code(p_session_id, v_returned, p_task_ids, p_versions);
  v_served := array(
    select c.id
    from tenuto._served_groups(array(select distinct c.route_id from unnest(v_queued) c)) s
    join unnest(v_queued) c on c.route_id = s.route_id and c.group_no = coalesce(s.group_no, c.group_no));
  v_tried := array(
    select c.id
    from unnest(v_queued) c
    join unnest(v_returned) o on o.id = c.id
    join tenuto.routes r on r.id = c.route_id
    where c.id = any (v_served) and (c.route_id = o.route_id or cardinality(r.blocked_versions) >= 10));

  insert into tenuto.waiting_tasks
    (waiting_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags, waits_for)
  select tenuto.now(), c.id, c.org_id, c.run_id, c.route_id, c.group_no, c.priority, c.attempt, c.flags, 'code'
  from unnest(v_queued) c
  where c.id <> all (v_served);

  insert into tenuto.delayed_tasks
    (available_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags, reason)
  select tenuto._retry_blocked_at(c.id, c.route_id), c.id, c.org_id, c.run_id, c.route_id, c.group_no, c.priority,
         c.attempt, c.flags, 'delay'
  from unnest(v_queued) c
  where c.id = any (v_tried);

  v_queued := array(select c from unnest(v_queued) c where c.id = any (v_served) and c.id <> all (v_tried));
  perform tenuto._make_ready(v_queued || v_woken,
                             array(select r.id from unnest(v_running) r where tenuto._has_limits(r.flags)));
  perform tenuto._wake_queued(v_queued);
  return query
  select *
  from tenuto._report_results(p_session_id, p_token, p_task_ids, p_attempts,
    array(select r.id from unnest(v_running) r), 'blocked');
end
$$;
