-- Deleted DAGs and datasets. Their rows stay, because the history of deploys, tasks and lineage name them; their names
-- are free again.
alter table tenuto.dags
  add column deleted_at timestamptz,
  drop constraint dag_exists_once,
  add constraint dag_exists_once unique nulls not distinct (org_id, name, deleted_at);
alter table tenuto.datasets
  add column deleted_at timestamptz,
  drop constraint dataset_exists_once,
  add constraint dataset_exists_once
    unique nulls not distinct (org_id, name, deleted_at) deferrable initially immediate,
  add constraint what_is_deleted_has_no_producer check (deleted_at is null or job_key is null);

-- The entry of a deletion leaves a version, the current one if there was any, and leads to none.
alter table tenuto.deploy_history
  alter column to_version_id drop not null,
  drop constraint action_is_known,
  add constraint action_is_known check (action in ('deploy', 'cutover', 'rollback', 'delete')),
  add constraint only_a_deletion_leads_nowhere check ((action = 'delete') = (to_version_id is null));
