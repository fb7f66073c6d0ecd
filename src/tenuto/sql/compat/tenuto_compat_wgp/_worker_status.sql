-- Returns the word that Headless-WGP uses for a status of a worker.
create or replace function tenuto_compat_wgp._worker_status(p_status text)
  returns text
  language sql
  immutable parallel safe
return case p_status
  when 'active' then 'active'
  when 'draining' then 'active'
  when 'terminated' then 'terminated'
  when 'starting' then 'inactive'
  when 'error' then 'inactive'
end;
