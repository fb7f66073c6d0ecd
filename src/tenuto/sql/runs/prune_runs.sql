-- Deletes what retention is over for and drop_partitions does not take: a batch of final runs with all that belongs to
-- them, and rows that dropped weeks left behind. Answers how many; p_dry_run answers the same and changes nothing. Call
-- it until both are zero. Runs as the owner, who alone may look into the default partition.
create or replace function tenuto.prune_runs(p_limit int default 1000, p_dry_run boolean default false)
  returns table (runs bigint, leftovers bigint)
  language plpgsql
  security definer
  set search_path = pg_catalog, pg_temp
as $$
declare
  v_ids uuid[] := array(
    select p from tenuto._prunable_runs(p_limit) p
    where not exists (select from tenuto.run_requests q where q.source_id = p));   -- its retry copies it
  v_tasks uuid[] := array(select tenuto._tasks_left_behind(p_limit));
begin
  if not p_dry_run then
    perform tenuto._delete_runs(v_ids);
    perform tenuto._delete_tasks(v_tasks);
  end if;
  runs := cardinality(v_ids);
  leftovers := cardinality(v_tasks) + tenuto._delete_leftovers(p_limit, p_dry_run);
  return next;
end
$$;
