-- Closes an open run when the transaction commits: no more tasks can be added, and the run ends when its tasks have
-- ended. Idempotent. Raises TN001 if the run does not exist, and TN004 if it was never open or was cancelled.
create or replace function tenuto.close_run(p_org_id uuid, p_run_id uuid)
  returns void
  language plpgsql
as $$
declare
  v_run tenuto.runs;
begin
  perform tenuto._require_read_committed();
  v_run := (tenuto._find_run(p_org_id, p_run_id)).run;
  if v_run.open is null then
    perform tenuto._raise('TN004', format('run %s is not open: it was started with all its tasks', p_run_id));
  elsif v_run.open and v_run.cancel_requested_at is not null then
    perform tenuto._raise('TN004', format('run %s was cancelled', p_run_id));
  elsif v_run.open then
    insert into tenuto.close_requests (run_id, org_id, requested_at, cancelled)
    values (p_run_id, p_org_id, tenuto.now(), false)
    on conflict (run_id, cancelled) do nothing;
  end if;
  perform tenuto._audit(p_org_id, 'run', p_run_id::text, 'close');
end
$$;
