-- Returns the first 100,000 rows that a loop has to process, parked or not. Each branch repeats the condition of the
-- loop's function; tests/dispatcher/test_parking.py checks that the two agree.
create or replace function tenuto._due_rows(p_loop text)
  returns table (key text, org_id uuid, run_id uuid, task_id uuid, since timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_custom_plan
  set jit = off
as $$
begin
  case p_loop
  when 'promote_due' then
    return query
    select d.id::text, d.org_id, d.run_id, d.id, d.available_at
    from tenuto.delayed_tasks d
    where d.available_at <= tenuto.now()
    order by d.available_at
    limit 100000;
  when 'wake_waiting' then
    return query
    select w.id::text, w.org_id, w.run_id, w.id, w.wake_at
    from tenuto.waiting_tasks w
    where w.wake_at <= tenuto.now()
    order by w.wake_at
    limit 100000;
  when 'unblock_tasks' then
    return query
    select w.id::text, w.org_id, w.run_id, w.id, w.waiting_at
    from tenuto._served_groups(array(select b.route_id from tenuto._blocked_routes() b)) s
    join tenuto.routes r on r.id = s.route_id
    join tenuto.waiting_tasks w on w.org_id = r.org_id and w.route_id = r.id and w.waits_for = 'code'
    where w.group_no = coalesce(s.group_no, w.group_no)
    limit 100000;
  when 'set_aside_tasks' then
    return query
    select t.id::text, t.org_id, t.run_id, t.id, t.queued_at
    from tenuto.routes r
    join tenuto.ready_tasks t on t.route_id = r.id
    left join tenuto._served_groups(array(select o.id from tenuto.routes o where o.blocked_versions <> '{}')) s
      on s.route_id = r.id and t.group_no = coalesce(s.group_no, t.group_no)
    where r.blocked_versions <> '{}' and not r.soft and s.route_id is null
    limit 100000;
  when 'expire_sessions' then
    return query
    select s.id::text, s.org_id, null::uuid, null::uuid, s.expires_at
    from tenuto.sessions s
    where s.ended_at is null and s.expires_at < tenuto.now()
    order by s.expires_at
    limit 100000;
  when 'expire_attempts' then
    return query
    select r.id::text, r.org_id, r.run_id, r.id, r.started_at
    from tenuto.running_tasks r
    where not exists (select from tenuto.sessions s where s.id = r.session_id and s.ended_at is null)
    limit 100000;
  when 'expire_deadlines' then
    return query
    select r.id::text, r.org_id, r.run_id, r.id, least(r.deadline_at, r.silent_at)
    from tenuto.running_tasks r
    where r.deadline_at < tenuto.now() or r.silent_at < tenuto.now()
    limit 100000;
  when 'fold_runs' then
    return query
    select c.run_id::text, c.org_id, c.run_id, null::uuid, min(c.started_at)
    from tenuto.run_counts c
    group by 1, 2, 3
    limit 100000;
  when 'settle_runs' then
    return query
    select r.id::text, r.org_id, r.id, null::uuid, r.created_at
    from tenuto.runs r
    where r.status in ('pending', 'running', 'retrying') and (r.handlers > 0 or r.max_attempts > 1)
      and r.total = r.completed + r.failed + r.cancelled + r.skipped + r.handlers
      and (r.next_retry_at is null or r.next_retry_at <= tenuto.now() or r.cancel_requested_at is not null)
    limit 100000;
  when 'sweep_cancelled' then
    return query
    select c.scope || ':' || c.id, c.org_id, case when c.scope = 'run' then c.id end,
           case when c.scope <> 'run' then c.id end, c.requested_at
    from tenuto.cancel_requests c
    limit 100000;
  when 'advance_requests' then
    return query
    select q.verb || ':' || q.run_id, q.org_id, q.run_id, null::uuid, q.requested_at
    from tenuto.run_requests q
    where q.verb = 'retry' or not exists (
      select from tenuto.run_requests o where o.run_id = q.run_id and o.verb = 'retry')
    limit 100000;
  when 'fire_schedules' then
    return query
    select s.org_id || ':' || s.name, s.org_id, null::uuid, null::uuid, s.next_at
    from tenuto.schedules s
    where s.paused_at is null and not s.held and s.next_at <= tenuto.now()
    order by s.next_at
    limit 100000;
  else
    return query select d.* from tenuto._due_maintenance_rows(p_loop) d;
  end case;
end
$$;
