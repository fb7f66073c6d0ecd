-- The route of an attempt's task, so that rollups need not look up every task: 3.5 µs per attempt without it, 1.8 with.
-- Null for older attempts, and for results that a task took over from another one.
alter table tenuto.task_attempts add column route_id int;
