-- -> queued: the cards become claimable, in this order, and their lanes visible.
-- seq is one number of the sequence for the whole batch with the place in it below: a number each cost 0.3 µs a task.
create or replace function tenuto._enter_lanes(p_cards tenuto.card[])
  returns void
  language plpgsql
  set jit = off
as $$
declare
  v_seq bigint := nextval('tenuto.ready_seq') << 20;
begin
  insert into tenuto.ready_tasks
    (seq, queued_at, id, org_id, run_id, route_id, group_no, priority, attempt, traits)
  select v_seq + c.no, tenuto.now(), c.id, c.org_id, c.run_id, c.route_id, c.group_no, c.priority, c.attempt, c.traits
  from unnest(p_cards) with ordinality as c(id, org_id, run_id, route_id, group_no, priority, attempt, traits, no);

  perform tenuto._announce_lanes(p_cards, v_seq);
end
$$;
