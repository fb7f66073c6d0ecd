-- How many tasks of the run were deleted; null: none. Such a run cannot be retried.
alter table tenuto.runs add column deleted_tasks integer;
