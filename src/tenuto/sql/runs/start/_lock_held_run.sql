-- Returns whether tasks that are added to this run have to wait for its release. If so, locks the row of the held run
-- for key share. _end_hold then does not delete the row before the transaction that adds the tasks has ended, and
-- releases these tasks too.
create or replace function tenuto._lock_held_run(p_run_id uuid)
  returns boolean
  language plpgsql
as $$
begin
  perform from tenuto.held_runs h
  where h.run_id = p_run_id and not exists (select from tenuto.release_requests q where q.run_id = h.run_id)
  for key share of h;
  return found;
end
$$;
