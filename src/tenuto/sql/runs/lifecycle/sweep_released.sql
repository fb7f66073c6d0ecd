-- pending -> queued, for held tasks that release_run did not start: further tasks of a large run, and tasks that
-- another transaction was adding at that time. Returns how many tasks were started, plus how many runs are no longer
-- held. With p_keys, processes only these runs, even if they are parked.
create or replace function tenuto.sweep_released(p_limit int default 100, p_keys text[] default null)
  returns bigint
  language plpgsql
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('sweep_released', p_keys);
begin
  return tenuto._end_hold(array(
    select q.run_id
    from tenuto.release_requests q
    where (p_keys is null or q.run_id = any (p_keys::uuid[])) and q.run_id <> all (v_parked)
    order by random()   -- the first hundred may belong to transactions that stay open for hours
    limit p_limit));
end
$$;
