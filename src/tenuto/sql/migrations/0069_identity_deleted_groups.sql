-- A deleted resource group keeps its row, under another name: runs that a client's transaction started at the same time
-- still belong to it.
alter table tenuto.resource_groups add column deleted_at timestamptz;

-- A request to delete the runs of a deleted group: run_id is the id of the group, base_id the last run it looked at.
alter table tenuto.run_requests
  drop constraint verb_is_known,
  drop constraint a_retry_has_a_base,
  add constraint verb_is_known check (verb in ('cancel', 'retry', 'delete', 'delete_group')),
  add constraint base_id_is_of_a_copy_or_a_group check ((verb in ('retry', 'delete_group')) = (base_id is not null));
