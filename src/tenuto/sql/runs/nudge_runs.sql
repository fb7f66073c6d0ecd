-- What a worker does after its completions committed, a few times a second at most: adds up the runs it touched, so
-- that whoever waits for them sees their end, and wakes the workers that serve what became ready there.
create or replace function tenuto.nudge_runs(p_run_ids uuid[])
  returns bigint
  language plpgsql
as $$
declare
  v_folded bigint := tenuto.fold_runs(p_run_ids => p_run_ids);
begin
  perform tenuto._wake('*');
  return v_folded;
end
$$;
