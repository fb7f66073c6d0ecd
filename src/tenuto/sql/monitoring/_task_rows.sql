-- Returns the rows of list_tasks for these ids. It is a function of its own, so that its query plan is kept:
-- task_status joins many partitions, and planning it took most of the time of a page.
create or replace function tenuto._task_rows(p_ids uuid[])
  returns table (
    id uuid, run_id uuid, parent_id uuid, "position" int, name text, queue text, type text, labels text[], priority int,
    status text, attempt int, failures int, losses int, max_attempts int, error jsonb, progress real, message text,
    worker_id text, created_at timestamptz, available_at timestamptz, next_retry_at timestamptz, started_at timestamptz,
    completed_at timestamptz)
  language plpgsql
  stable
  set plan_cache_mode = force_generic_plan
  set enable_seqscan = off -- rows are looked up by id, whatever the statistics say
  set jit = off
as $$
begin
  return query
  select s.id, s.run_id, s.parent_id, s.position, s.name, s.queue, s.type, s.labels, s.priority, s.status, s.attempt,
         s.failures, s.losses, s.max_attempts::int, tenuto._listed_error(s.error), s.progress, s.message, s.worker_id,
         s.created_at, s.available_at, s.next_retry_at, s.started_at, s.completed_at
  from tenuto.task_status s
  where s.id = any (p_ids);
end
$$;
