-- sink adds the rows that a completed task appended to the dataset of a sink.
alter table tenuto.outbox
  drop constraint kind_is_known,
  add constraint kind_is_known
    check (kind in ('route_event', 'emit_lineage', 'deliver', 'enqueue_task', 'delete_data', 'sink'));

-- Finds out whether the rows of a version of a DAG are added, and what waits for a version of a dataset.
create index outbox_sinks_idx on tenuto.outbox (org_id, (payload ->> 'dag_version_id'))
  where kind = 'sink' and status in ('pending', 'processing', 'dead');
create index outbox_sink_datasets_idx on tenuto.outbox (org_id, (payload ->> 'dataset_version_id'))
  where kind = 'sink' and status in ('pending', 'processing', 'dead');
