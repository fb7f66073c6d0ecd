-- running -> queued, for attempts that a worker gives back or no longer knows. Each task gets its old position in its
-- lane, or a new position if the old one is not stored. The tasks keep their limit slots, so they do not wait for a
-- limit again. Wakes the workers of the tasks' queues. Attempts with a cancel request are cancelled instead.
create or replace function tenuto._release_attempts(
  p_running tenuto.running_tasks[], p_outcome text, p_reported boolean)
  returns void
  language plpgsql
  set jit = off
as $$
declare
  v_queued tenuto.queued_task[];
  v_woken tenuto.queued_task[];
  v_seq bigint := nextval('tenuto.ready_seq') << 20;   -- for attempts without a stored position
begin
  select b.queued, b.woken into v_queued, v_woken from tenuto._return_attempts(p_running, p_outcome, p_reported) b;

  insert into tenuto.ready_tasks
    (seq, queued_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags)
  select coalesce(r.seq, v_seq + row_number() over (order by r.id)),
         tenuto.now(), r.id, r.org_id, r.run_id, r.route_id, r.group_no, r.priority, r.attempt, r.flags
  from unnest(p_running) r
  where not r.cancel;

  perform tenuto._make_ready(
    v_woken, array(select r.id from unnest(p_running) r where r.cancel and tenuto._has_limits(r.flags)));
  -- The floors of lanes may have moved past these positions.
  perform tenuto._announce_lanes(v_queued, (select min(coalesce(r.seq, v_seq)) from unnest(p_running) r), true);
  perform tenuto._wake_queued(v_queued);
end
$$;
