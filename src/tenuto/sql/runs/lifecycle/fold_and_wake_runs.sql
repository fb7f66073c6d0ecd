-- Folds the runs that a worker's completions touched, so that clients that wait see their end, and wakes the workers of
-- the queues in which their orgs have ready tasks. Called by a worker after its completions committed, a few times per
-- second at most. Without runs, or with no task ready, it wakes no worker.
create or replace function tenuto.fold_and_wake_runs(p_run_ids uuid[])
  returns bigint
  language plpgsql
as $$
declare
  v_folded bigint := tenuto.fold_runs(p_run_ids => p_run_ids);
begin
  perform tenuto._wake_ready(array(select distinct r.org_id from tenuto.runs r where r.id = any (p_run_ids)));
  return v_folded;
end
$$;
