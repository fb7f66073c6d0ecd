-- Finds the newest commit of a dataset version. On the text of its id, so that the planner does not take it for
-- look-ups of a partition: there it reads every commit of the dataset.
drop index tenuto.partition_versions_newest_idx;
create index partition_versions_newest_idx on tenuto.partition_versions ((dataset_version_id::text), committed_at);
