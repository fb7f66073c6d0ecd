-- Folds the runs that a worker's completions changed (fold_runs), so that waiting clients see them end. Then wakes the
-- workers of the queues in which the orgs of these runs have ready tasks. A worker calls it after its completions have
-- committed, at most a few times per second. If no runs are passed or no task is ready, it wakes no worker.
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
