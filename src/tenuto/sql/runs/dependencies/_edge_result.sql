-- Returns what the end of a task means for a task that depends on it: satisfied, cancelled or skipped.
create or replace function tenuto._edge_result(p_runs_on text, p_outcome text, p_optional boolean)
  returns text
  language sql
  immutable parallel safe
return case
  when p_runs_on = 'continue' then 'satisfied'
  when p_runs_on = p_outcome then 'satisfied'
  when p_outcome = 'cancelled' and not p_optional then 'cancelled'
  when p_outcome = 'failed' and not p_optional then 'cancelled'
  else 'skipped'
end;
