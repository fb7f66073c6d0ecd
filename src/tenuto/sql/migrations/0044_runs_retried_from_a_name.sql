-- A retry of a large run from a task or a step (retry_run).
alter table tenuto.run_requests add column from_name text;
