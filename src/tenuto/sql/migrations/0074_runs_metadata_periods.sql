-- Lists by metadata search period by period (_period): among ten million rows, a page of a value that only old rows
-- have, but many of them, read all newer rows. The period is the second column of each index.
drop index tenuto.task_metadata_found_idx;
drop index tenuto.runs_metadata_idx;
drop index tenuto.tasks_metadata_idx;
create index task_metadata_found_idx on tenuto.task_metadata
  using gin (metadata jsonb_path_ops, (array[('x' || left(task_id::text, 8))::bit(32)::int >> 4]))
  with (fastupdate = off);
create index runs_metadata_idx on tenuto.runs
  using gin (metadata jsonb_path_ops, (array[('x' || left(id::text, 8))::bit(32)::int >> 4]))
  with (fastupdate = off) where metadata is not null;
create index tasks_metadata_idx on tenuto.tasks
  using gin (metadata jsonb_path_ops, (array[('x' || left(id::text, 8))::bit(32)::int >> 4]))
  with (fastupdate = off) where metadata is not null;
