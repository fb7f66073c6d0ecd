-- -> queued: makes the queued tasks claimable, in the order of p_queued, and announces their lanes. The call takes one
-- number from the sequence. The seq of a task is this number, shifted by 20 bits, plus the position of the task in
-- p_queued: number 3 gives 3145729, 3145730, … A separate sequence number for each task took 0.3 µs more per task.
create or replace function tenuto._enqueue_ready(p_queued tenuto.queued_task[])
  returns void
  language plpgsql
  set jit = off
as $$
declare
  v_seq bigint := nextval('tenuto.ready_seq') << 20;
begin
  insert into tenuto.ready_tasks
    (seq, queued_at, id, org_id, run_id, route_id, group_no, priority, attempt, flags)
  select v_seq + c.no, tenuto.now(), c.id, c.org_id, c.run_id, c.route_id, c.group_no, c.priority, c.attempt, c.flags
  from unnest(p_queued) with ordinality as c(id, org_id, run_id, route_id, group_no, priority, attempt, flags, no);

  perform tenuto._announce_lanes(p_queued, v_seq);
end
$$;
