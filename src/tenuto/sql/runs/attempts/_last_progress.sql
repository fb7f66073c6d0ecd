-- Returns the progress and message that the task reported last in an ended attempt.
create or replace function tenuto._last_progress(p_task_id uuid, out progress real, out message text)
  language sql
  stable
as $$
  select a.progress, a.message
  from tenuto.task_attempts a
  where a.task_id = p_task_id and num_nonnulls(a.progress, a.message) > 0
  order by a.attempt desc
  limit 1;
$$;
