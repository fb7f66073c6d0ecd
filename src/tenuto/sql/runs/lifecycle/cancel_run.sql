-- any open state -> cancelled: tasks that do not run end now, running ones are marked and end when they see the mark,
-- and the run is cancelled when its last task has ended. Idempotent; a final run raises TN004. Returns false for a
-- large run: the request is recorded, no task of the run can start children any more, and advance_requests does the
-- rest.
create or replace function tenuto.cancel_run(p_org_id uuid, p_run_id uuid, p_reason text default null)
  returns boolean
  language plpgsql
as $$
declare
  v_large boolean;
begin
  perform tenuto._check_name('the reason of a cancellation', nullif(p_reason, ''), 1024);
  perform tenuto._open_run(p_org_id, p_run_id);
  select tenuto._is_large(r) into v_large from tenuto.runs r where r.id = p_run_id;
  if v_large then
    insert into tenuto.run_requests (run_id, verb, org_id, reason, requested_at, worked_at)
    values (p_run_id, 'cancel', p_org_id, p_reason, tenuto.now(), tenuto.now())
    on conflict do nothing;
  else
    perform tenuto._cancel_tasks(array(select tenuto._tasks_below(p_run_id, 'run')), p_reason);
    insert into tenuto.cancel_requests (id, scope, org_id, requested_at)
    values (p_run_id, 'run', p_org_id, tenuto.now())
    on conflict do nothing;
  end if;
  update tenuto.runs
  set cancel_requested_at = coalesce(cancel_requested_at, tenuto.now())
  where id = p_run_id;
  perform tenuto._retry_parked_now(p_run_id);
  return not v_large;
end
$$;
