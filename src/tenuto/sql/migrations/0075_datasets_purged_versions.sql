-- Purged versions of datasets. Their rows stay, because versions of DAGs name them, and dispatchers delete their data. A
-- definition whose version was purged gets a new version when it is deployed again.
alter table tenuto.dataset_versions add column purged_at timestamptz;
alter table tenuto.dataset_versions drop constraint version_is_deterministic;
create unique index dataset_versions_definition_idx on tenuto.dataset_versions
  (org_id, dataset_id, config_hash, range_start, range_end) nulls not distinct
  where purged_at is null;
create index dataset_versions_dataset_idx on tenuto.dataset_versions (org_id, dataset_id, id);

-- delete_data deletes the files of a purged version.
alter table tenuto.outbox
  drop constraint kind_is_known,
  add constraint kind_is_known
    check (kind in ('route_event', 'emit_lineage', 'deliver', 'enqueue_task', 'delete_data'));
