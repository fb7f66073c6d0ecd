-- Finds repairs and alerts that ended long ago, which are deleted, and the newest commit of a dataset.
create index backfills_ended_idx on tenuto.backfills (org_id, ended_at) where ended_at is not null;
create index data_invalidations_ended_idx on tenuto.data_invalidations (org_id, ended_at) where ended_at is not null;
create index alerts_resolved_idx on tenuto.alerts (org_id, resolved_at) where resolved_at is not null;
create index partition_versions_newest_idx on tenuto.partition_versions (org_id, dataset_version_id, committed_at);
