-- pending -> queued, for held tasks that release_run did not start: further tasks of a large run, and tasks that
-- another transaction was adding at that time. Returns how many tasks were started, plus how many runs are no longer
-- held. With p_keys, processes only these runs, even if they are parked.
create or replace function tenuto.sweep_released(p_limit int default 100, p_keys text[] default null)
  returns bigint
  language plpgsql
  set plan_cache_mode = force_custom_plan
  set enable_seqscan = off
  set jit = off
  set lock_timeout = '1s'
as $$
declare
  v_parked uuid[] := tenuto._parked('sweep_released', p_keys);
  v_due uuid[] := array(   -- runs to which no transaction is adding tasks now
    select q.run_id
    from tenuto.release_requests q
    join tenuto.held_runs h on h.run_id = q.run_id and h.org_id = q.org_id
    where (p_keys is null or q.run_id = any (p_keys::uuid[])) and q.run_id <> all (v_parked)
    order by q.requested_at
    limit p_limit
    for update skip locked);
begin
  return tenuto._end_hold(v_due || array(   -- other runs with tasks to start, and runs that are not held any more
    select q.run_id
    from tenuto.release_requests q
    where (p_keys is null or q.run_id = any (p_keys::uuid[])) and q.run_id <> all (v_parked || v_due)
      and (not exists (select from tenuto.held_runs h where h.run_id = q.run_id)
           or exists (select from tenuto.pending_tasks p where p.run_id = q.run_id and p.held)
              and exists (select from tenuto.runs r
                          where r.id = q.run_id and r.org_id = q.org_id and r.cancel_requested_at is null))
    order by q.requested_at
    limit p_limit
    for update skip locked));
end
$$;
