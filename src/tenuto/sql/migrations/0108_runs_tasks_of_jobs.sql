-- Finds the newest tasks of a job; the other index has the partition before the task. That one is made again: of
-- indexes that seem to cost the same, because the table is still empty, Postgres prefers the newest, and look-ups by
-- partition would read all tasks of the job.
create index job_tasks_job_idx on tenuto.job_tasks (org_id, job_key, task_id);
drop index tenuto.job_tasks_partition_idx;
create index job_tasks_partition_idx on tenuto.job_tasks (org_id, job_key, partition_key, task_id);
