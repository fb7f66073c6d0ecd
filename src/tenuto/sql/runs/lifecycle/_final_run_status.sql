-- Returns the final status of a run whose tasks have all ended. If handlers already ran for a result, that result
-- stays, except that a completed run fails if its handler failed. A run with a cancel request is cancelled if it was
-- open, if one of its tasks was cancelled, or if a failure is not tolerated. Otherwise it completes despite the
-- request.
create or replace function tenuto._final_run_status(p_run tenuto.runs)
  returns text
  language sql
  immutable
return case
  when p_run.pending_status in ('failed', 'cancelled') then p_run.pending_status
  when p_run.cancel_requested_at is not null
    and (p_run.cancelled > 0 or p_run.untolerated_failures > 0 or p_run.open) then 'cancelled'
  when p_run.untolerated_failures > 0 then 'failed'
  when p_run.cancelled > 0 then 'cancelled'
  else 'completed'
end;
