-- Returns the word that Headless-WGP uses for a status of a task.
create or replace function tenuto_compat_wgp._task_status(p_status text)
  returns text
  language sql
  immutable parallel safe
return case p_status
  when 'running' then 'In Progress'
  when 'completed' then 'Complete'
  when 'failed' then 'Failed'
  when 'cancelled' then 'Cancelled'
  when 'skipped' then 'Cancelled'
  else 'Queued'
end;
