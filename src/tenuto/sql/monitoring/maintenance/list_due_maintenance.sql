-- Returns in how many seconds each maintenance loop has work: 0 means now, null means never unless something changes.
-- Most branches read one entry of an index, for a row that is not parked. Leaves out loops that only repair or prune:
-- they run at intervals. Rows before the floors of due work are not seen here; move_floors finds them and lowers the
-- floors. enable_material is off: with 5,000 parked rows, look-ups by index take 29 ms instead of 8 s.
create or replace function tenuto.list_due_maintenance()
  returns table (what text, due_in_seconds float8)
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set enable_material = off
  set jit = off
as $$
declare
  v_floors tenuto.due_floors := tenuto._due_floors();
begin
  return query
  select d.what,
         case when d.due_at is not null then greatest(0, extract(epoch from d.due_at - tenuto.now()))::float8 end
  from (values
    ('promote_due', (
      select t.available_at from tenuto.delayed_tasks t
      where t.available_at >= v_floors.available_at
        and not exists (select from tenuto.parked_rows p where p.loop = 'promote_due' and p.key = t.id::text)
      order by t.available_at limit 1)),
    ('wake_waiting', (
      select w.wake_at from tenuto.waiting_tasks w
      where w.wake_at >= v_floors.wake_at
        and not exists (select from tenuto.parked_rows p where p.loop = 'wake_waiting' and p.key = w.id::text)
      order by w.wake_at limit 1)),
    ('unblock_tasks', (
      select tenuto.now() from tenuto.waiting_tasks w
      where w.waits_for = 'code'
        and not exists (select from tenuto.parked_rows p where p.loop = 'unblock_tasks' and p.key = w.id::text)
      order by w.org_id, w.route_id, w.seq limit 1)),
    ('expire_sessions', (
      select s.expires_at from tenuto.sessions s
      where s.ended_at is null
        and not exists (select from tenuto.parked_rows p where p.loop = 'expire_sessions' and p.key = s.id::text)
      order by s.expires_at limit 1)),
    -- Whether the session held tasks is not checked: running_tasks has no index by session.
    ('expire_attempts', (
      select s.ended_at from tenuto.sessions s
      where s.ended_at is not null and s.ended_at > tenuto.now() - interval '5 seconds'
      order by s.ended_at limit 1)),
    ('expire_deadlines', least(
      (select r.deadline_at from tenuto.running_tasks r
       where r.deadline_at >= v_floors.deadline_at
         and not exists (select from tenuto.parked_rows p where p.loop = 'expire_deadlines' and p.key = r.id::text)
       order by r.deadline_at limit 1),
      (select r.silent_at from tenuto.running_tasks r
       where r.silent_at >= v_floors.silent_at
         and not exists (select from tenuto.parked_rows p where p.loop = 'expire_deadlines' and p.key = r.id::text)
       order by r.silent_at limit 1))),
    ('expire_runs', tenuto._next_run_deadline()),
    ('relax_placement', tenuto._next_placement()),
    ('fold_runs', (
      select tenuto.now() from tenuto.run_counts c
      where c.id >= v_floors.count_id
        and not exists (select from tenuto.parked_rows p where p.loop = 'fold_runs' and p.key = c.run_id::text)
      order by c.id limit 1)),
    ('settle_runs', (
      select min(case when r.cancel_requested_at is null
                      then coalesce(r.next_retry_at, tenuto.now())
                      else tenuto.now() end)
      from tenuto.runs r
      where r.status in ('pending', 'running', 'retrying') and (r.handlers > 0 or r.max_attempts > 1)
        and (r.total = r.completed + r.failed + r.cancelled + r.skipped + r.handlers)
        and not exists (select from tenuto.parked_rows p where p.loop = 'settle_runs' and p.key = r.id::text))),
    ('sweep_cancelled', (select tenuto.now() from tenuto.cancel_requests c limit 1)),
    ('sweep_closed', (select tenuto.now() from tenuto.close_requests c limit 1)),
    ('sweep_released', (select tenuto.now() from tenuto.release_requests c limit 1)),
    ('advance_requests', (select tenuto.now() from tenuto.run_requests q limit 1)),
    ('advance_builds', tenuto._next_build()),
    ('advance_backfills', tenuto._next_backfill()),
    ('advance_invalidations', tenuto._next_invalidation()),
    ('drain_outbox', least((select min(o.available_at) from tenuto.outbox o where o.status = 'pending'),
                           (select min(o.locked_until) from tenuto.outbox o where o.status = 'processing'))),
    ('fire_schedules', (
      select s.next_at from tenuto.schedules s
      where s.paused_at is null and not s.held
        and not exists (
          select from tenuto.parked_rows p where p.loop = 'fire_schedules' and p.key = s.org_id || ':' || s.name)
      order by s.next_at limit 1)),
    ('follow_arrivals', (
      select tenuto.now() from tenuto.arrivals a
      where a.id >= (select f.floor from tenuto.arrival_floor f)
        and not exists (select from tenuto.parked_rows p where p.loop = 'follow_arrivals' and p.key = a.id::text)
      order by a.id limit 1)),
    ('admit_rates', (
      select l.due_at from tenuto.limits l
      where l.due_at is not null
        and not exists (select from tenuto.parked_rows p where p.loop = 'admit_rates' and p.key = l.id::text)
      order by l.due_at limit 1)),
    ('retry_parked', (select min(p.retry_at) from tenuto.parked_rows p)),
    ('seal_audit', tenuto._next_sealing(v_floors.audit_id))
  ) as d(what, due_at);
end
$$;
