-- What a worker does after its completions committed, a few times a second at most: adds up the runs it touched, so
-- that whoever waits for them sees their end, and wakes the workers of the queues in which their orgs have something
-- ready. Without runs, or with nothing ready, nobody is woken.
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
