-- Returns whether a run is held: none of its tasks starts before release_run.
create or replace function tenuto._is_held(p_run_id uuid)
  returns boolean
  language sql
  stable
return exists (select from tenuto.held_runs h where h.run_id = p_run_id)
  and not exists (select from tenuto.release_requests q where q.run_id = p_run_id);
