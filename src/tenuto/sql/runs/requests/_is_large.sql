-- Returns true if an action on the run (cancel, retry, delete) must be recorded and then done in several transactions:
-- the run has more tasks than one transaction processes (_request_piece), or another action on the run is not finished
-- yet.
create or replace function tenuto._is_large(p_run tenuto.runs)
  returns boolean
  language sql
  stable
return coalesce(p_run.total, 1) > tenuto._request_piece()
  or exists (select from tenuto.run_requests q where q.run_id = p_run.id);
