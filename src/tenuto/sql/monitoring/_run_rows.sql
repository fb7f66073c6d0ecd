-- Returns the rows of list_runs for these ids. It is a function of its own, so that its query plan is kept: run_status
-- joins many partitions, and planning it took 33 of the 39 ms of a page.
create or replace function tenuto._run_rows(p_ids uuid[])
  returns table (
    id uuid, name text, type text, status text, resource_group text, attempt int, max_attempts int, total_tasks int,
    completed_tasks int, failed_tasks int, cancelled_tasks int, skipped_tasks int, retry_of uuid,
    retried_by uuid, created_at timestamptz, started_at timestamptz, completed_at timestamptz, duration_seconds float8,
    error jsonb, cancel_reason text)
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off -- rows are looked up by id, whatever the statistics say
  set jit = off
as $$
begin
  return query
  select s.id, s.name, s.type, s.status, s.resource_group, s.attempt, s.max_attempts, s.total_tasks,
         s.completed_tasks, s.failed_tasks, s.cancelled_tasks, s.skipped_tasks, s.retry_of, s.retried_by, s.created_at,
         s.started_at, s.completed_at, s.duration_seconds, tenuto._listed_error(s.error), s.cancel_reason
  from tenuto.run_status s
  where s.id = any (p_ids);
end
$$;
