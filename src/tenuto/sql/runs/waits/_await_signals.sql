-- Returns the waiting tasks whose signal has been sent already. The waiting task and the sender take the same lock of
-- the run, so that neither misses the other. All runs share 64 locks, so that a transaction for many runs does not hold
-- one lock per run.
create or replace function tenuto._await_signals(p_waits tenuto.wait[], p_queued tenuto.queued_task[])
  returns uuid[]
  language plpgsql
as $$
begin
  perform tenuto._lock_signals(array(
    select c.run_id from unnest(p_waits) w join unnest(p_queued) c on c.id = w.id where w.waits_for = 'signal'));
  return array(
    select w.id
    from unnest(p_waits) w
    join unnest(p_queued) c on c.id = w.id
    where w.waits_for = 'signal'
      and exists (select from tenuto.signals s where s.run_id = c.run_id and s.name = w.signal and s.taken_by is null));
end
$$;
