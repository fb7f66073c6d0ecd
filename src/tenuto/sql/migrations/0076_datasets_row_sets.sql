-- Datasets stored in Postgres have one table per version in the schema tenuto_data. A row set is what one attempt wrote
-- to one location of it. Readers see its rows once a commit names the location.
create table tenuto.row_sets (
  id                 uuid primary key,
  org_id             uuid not null,
  dataset_version_id uuid not null,
  location           text not null,
  task_id            uuid not null,
  attempt            int not null,
  pages              int not null,
  committed          boolean not null default false,   -- set by collect_rows when it has seen the commit
  created_at         timestamptz not null,
  constraint a_location_has_one_row_set unique (org_id, location),
  constraint row_set_is_of_a_dataset_version foreign key (org_id, dataset_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint location_is_a_folder check (location like '%/'),
  constraint pages_are_bounded check (pages between 0 and 1000)
);

create index row_sets_dataset_idx on tenuto.row_sets (org_id, dataset_version_id, id);
create index row_sets_uncommitted_idx on tenuto.row_sets (created_at) where not committed;

-- Whether an attempt has committed is asked by its task.
create index partition_versions_task_idx on tenuto.partition_versions (task_id);

-- When the folder of a version was last searched for files of attempts that committed nothing.
alter table tenuto.dataset_versions add column staging_checked_at timestamptz not null default now();
create index dataset_versions_staging_idx on tenuto.dataset_versions (staging_checked_at) where purged_at is null;
