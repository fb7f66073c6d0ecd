-- Datasets whose current version a cutover or rollback has changed, and that jobs of other DAGs read: dispatchers write
-- an event for each partition that differs from the old version, piece by piece.
create table tenuto.reader_updates (
  dag_version_id  uuid not null,
  dataset_id      uuid not null,
  org_id          uuid not null,
  old_version_id  uuid,   -- null: no version was current
  after_partition text,
  primary key (dag_version_id, dataset_id),
  constraint update_is_of_a_version foreign key (org_id, dag_version_id) references tenuto.dag_versions (org_id, id),
  constraint update_is_of_a_dataset foreign key (org_id, dataset_id) references tenuto.datasets (org_id, id)
);

create index reader_updates_version_idx on tenuto.reader_updates (org_id, dag_version_id);
create index reader_updates_dataset_idx on tenuto.reader_updates (org_id, dataset_id);
