-- Does the same as cancel_run, without an audit entry: the caller writes one entry for several runs, or none.
create or replace function tenuto._cancel_run(p_org_id uuid, p_run_id uuid, p_reason text default null)
  returns boolean
  language plpgsql
as $$
declare
  v_large boolean;
begin
  perform tenuto._require_read_committed();
  perform tenuto._check_name('the reason of a cancellation', nullif(p_reason, ''), 1024);
  perform tenuto._open_run(p_org_id, p_run_id);
  select tenuto._is_large(r) into v_large from tenuto.runs r where r.id = p_run_id;
  if v_large then
    insert into tenuto.run_requests (run_id, verb, org_id, reason, requested_at, worked_at)
    values (p_run_id, 'cancel', p_org_id, p_reason, tenuto.now(), tenuto.now())
    on conflict do nothing;
    update tenuto.runs
    set cancel_requested_at = coalesce(cancel_requested_at, tenuto.now()),
        cancel_reason       = coalesce(cancel_reason, p_reason)
    where id = p_run_id;
    perform tenuto._close_cancelled(array[p_run_id]);
    perform tenuto._retry_parked_now(p_run_id);
  else
    perform tenuto._request_cancel(p_org_id, p_run_id, 'run', p_reason);
  end if;
  return not v_large;
end
$$;
