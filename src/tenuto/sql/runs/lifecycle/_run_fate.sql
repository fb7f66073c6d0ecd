-- How a run with nothing open has ended. A fate that handlers already ran for stays, but for a completed run whose
-- handler failed. One that was asked to stop is cancelled, unless all it had to do was done.
create or replace function tenuto._run_fate(p_run tenuto.runs)
  returns text
  language sql
  immutable
return case
  when p_run.fate in ('failed', 'cancelled') then p_run.fate
  when p_run.cancel_requested_at is not null and (p_run.cancelled > 0 or p_run.spoiled > 0) then 'cancelled'
  when p_run.spoiled > 0 then 'failed'
  when p_run.cancelled > 0 then 'cancelled'
  else 'completed'
end;
