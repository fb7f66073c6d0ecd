-- any state that is not final -> cancelled, when the transaction commits. Tasks that are not running end at once.
-- Running tasks are marked and end when their workers see the mark. The run is cancelled when its last task has ended.
-- Idempotent. Raises TN004 for a final run. Returns false for a large run: the request is recorded, no task of the run
-- can start children any more, and advance_requests cancels the tasks.
create or replace function tenuto.cancel_run(p_org_id uuid, p_run_id uuid, p_reason text default null)
  returns boolean
  language plpgsql
as $$
declare
  v_done boolean := tenuto._cancel_run(p_org_id, p_run_id, p_reason);
begin
  perform tenuto._audit(p_org_id, 'run', p_run_id::text, 'cancel', jsonb_build_object('reason', p_reason));
  return v_done;
end
$$;
