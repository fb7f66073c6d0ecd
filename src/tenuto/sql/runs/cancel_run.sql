-- Stops a run: what is not running ends now, what runs is marked and ends when it sees the mark, and the run is
-- cancelled when its last task has ended. Cancelling twice is fine; a final run is an error.
create or replace function tenuto.cancel_run(p_org_id uuid, p_run_id uuid, p_reason text default null)
  returns void
  language plpgsql
as $$
begin
  perform tenuto._check_name('the reason of a cancel', nullif(p_reason, ''), 1024);
  perform tenuto._open_run(p_org_id, p_run_id);
  perform tenuto._cancel_tasks(array(select tenuto._tasks_below(p_run_id, 'run')), p_reason);
  insert into tenuto.cancel_requests (id, scope, org_id, requested_at)
  values (p_run_id, 'run', p_org_id, tenuto.now())
  on conflict do nothing;
  update tenuto.runs
  set cancel_requested_at = coalesce(cancel_requested_at, tenuto.now())
  where id = p_run_id;
  perform tenuto._retry_parked_now(p_run_id);
end
$$;
