-- Which computation made a partition version: a hash of the job, its definition, the partition of the task and what the
-- task read. A task that would compute the same again takes this data instead. Null if it cannot be known.
alter table tenuto.partition_versions add column memo bytea;
create index partition_versions_memo_idx on tenuto.partition_versions (org_id, memo) where memo is not null;
alter type tenuto.task_outputs add attribute memo bytea;
