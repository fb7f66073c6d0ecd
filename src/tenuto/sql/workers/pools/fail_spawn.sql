-- starting -> terminated: the worker's machine could not be requested. The row stays, with the error, until
-- prune_workers deletes it: it counts for the failure rate of the pool (max_failure_rate). Returns false and changes
-- nothing if the worker has registered anyway.
create or replace function tenuto.fail_spawn(p_org_id uuid, p_worker_id text, p_error text)
  returns boolean
  language plpgsql
as $$
begin
  update tenuto.workers w
  set status = 'terminated',
      error = coalesce(tenuto._truncate_text(p_error, 4096), 'unknown'),
      terminated_at = tenuto.now(),
      machine_ended_at = tenuto.now()
  where w.org_id = p_org_id
    and w.id = p_worker_id
    and w.pool_id is not null
    and w.status = 'starting';
  return found;
end
$$;
