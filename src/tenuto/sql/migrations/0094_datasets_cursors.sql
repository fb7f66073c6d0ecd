-- How far each job has read a dataset version: the newest commit that a completed task read, or that its filter passed
-- over. A job has up to 17 rows per dataset version, so that completions at the same time do not wait for each other;
-- its cursor is the largest.
create table tenuto.dataset_cursors (
  org_id             uuid not null,
  job_key            uuid not null,
  dataset_version_id uuid not null,
  slot               smallint not null,
  cursor             uuid not null,   -- a partition version, or an event that was emitted
  task_id            uuid,            -- null: nothing in it was for the job
  updated_at         timestamptz not null,
  primary key (org_id, job_key, dataset_version_id, slot),
  constraint cursor_is_of_a_job foreign key (org_id, job_key) references tenuto.job_controls (org_id, job_key),
  constraint cursor_is_of_a_dataset_version foreign key (org_id, dataset_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint slots_are_few check (slot between 0 and 16)
)
with (fillfactor = 70);
create index dataset_cursors_dataset_idx on tenuto.dataset_cursors (org_id, dataset_version_id, job_key);
