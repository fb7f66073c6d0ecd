-- The tasks that a cancel still waits for, once all of them have been told to stop: a sweep looks at these alone, not at
-- everything below the cancelled run or task. Null: not known, look at all.
alter table tenuto.cancel_requests add column open_ids uuid[];
