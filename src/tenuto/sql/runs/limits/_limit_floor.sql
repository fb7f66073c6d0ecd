-- Returns where the line of a limit and its slots begin now: the priority and number of the first task in line, and the
-- number of the oldest slot. The floor of an empty line lies after all tasks so far: the next task that joins the line
-- lowers the floor.
create or replace function tenuto._limit_floor(
  p_limit tenuto.limits, out priority int, out seq bigint, out slot bigint)
  language plpgsql
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off
  set enable_bitmapscan = off
  set jit = off
as $$
begin
  select w.priority, w.seq into priority, seq
  from tenuto.waiting_tasks w
  where w.limit_id = p_limit.id and (-w.priority, w.seq) >= (-p_limit.floor_priority, p_limit.floor_seq)
  order by -w.priority, w.seq
  limit 1;
  if not found then
    priority := -2147483647;
    seq := coalesce(pg_sequence_last_value('tenuto.ready_seq'), 0);
  end if;
  select s.seq into slot
  from tenuto.limit_slots s
  where s.limit_id = p_limit.id and s.org_id = p_limit.org_id and s.seq >= p_limit.floor_slot
  order by s.seq
  limit 1;
  if not found then
    slot := coalesce(pg_sequence_last_value('tenuto.limit_slots_seq_seq'), 0);
  end if;
end
$$;
