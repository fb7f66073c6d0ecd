-- What dispatchers and people look for, found without reading the rest.

-- Only tasks with a timeout are in these, so that others pay nothing.
create index running_tasks_deadline_idx on tenuto.running_tasks (deadline_at) where deadline_at is not null;
create index running_tasks_silent_idx on tenuto.running_tasks (silent_at) where silent_at is not null;

-- Exactly the runs that settle_runs can move now or at next_retry_at: among 100,000 open runs with handlers it read all.
drop index tenuto.runs_settle_idx;
create index runs_settle_idx on tenuto.runs (next_retry_at)
  where status in ('pending', 'running', 'retrying') and (handlers > 0 or max_attempts > 1)
    and (total = completed + failed + cancelled + skipped + handlers);

-- Runs that did not complete, and named ones; a run of one that completed is in neither.
create index runs_unhappy_idx on tenuto.runs (org_id, status, id) where status in ('failed', 'cancelled');
create index runs_name_idx on tenuto.runs (org_id, name, id) where name is not null;
create index task_attempts_unhappy_idx on tenuto.task_attempts (org_id, outcome, task_id)
  where end_no = 0 and outcome in ('failed', 'cancelled', 'skipped');
