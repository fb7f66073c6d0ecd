-- What versions of datasets were computed from, written with the commits of their data. It outlives the data.

-- Which versions of which datasets the tasks of a dataset version have read.
create table tenuto.table_lineage (
  org_id             uuid not null,
  dataset_version_id uuid not null,
  input_version_id   uuid not null,
  input_dataset_id   uuid not null,
  recorded_at        timestamptz not null,
  primary key (org_id, dataset_version_id, input_version_id),
  constraint lineage_is_of_a_dataset_version foreign key (org_id, dataset_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint input_is_a_dataset_version foreign key (org_id, input_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint input_is_of_a_dataset foreign key (org_id, input_dataset_id) references tenuto.datasets (org_id, id)
);

create index table_lineage_input_idx on tenuto.table_lineage (org_id, input_version_id);
create index table_lineage_input_dataset_idx on tenuto.table_lineage (org_id, input_dataset_id);

-- How the column lineage of a dataset version is known, and a hash of it: a commit with the same changes nothing.
create table tenuto.lineage_methods (
  org_id             uuid not null,
  dataset_version_id uuid not null,
  method             text not null,
  confidence         text not null,
  lineage_hash       text not null,
  task_id            uuid not null,
  recorded_at        timestamptz not null,
  primary key (org_id, dataset_version_id),
  constraint method_is_of_a_dataset_version foreign key (org_id, dataset_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint method_is_known check (method in ('sql', 'declared', 'reported')),
  constraint confidence_is_known check (confidence in ('exact', 'stated', 'table'))
);

-- Which columns of other datasets a column is computed from; '' for all columns, and for a column that is not known.
create table tenuto.column_lineage (
  org_id             uuid not null,
  dataset_version_id uuid not null,
  column_name        text not null,
  input_dataset_id   uuid not null,
  input_column       text not null,
  kind               text not null,
  subtype            text,
  primary key (org_id, dataset_version_id, column_name, input_dataset_id, input_column, kind),
  constraint column_is_of_a_dataset_version foreign key (org_id, dataset_version_id)
    references tenuto.dataset_versions (org_id, id),
  constraint source_is_of_a_dataset foreign key (org_id, input_dataset_id) references tenuto.datasets (org_id, id),
  constraint names_are_not_too_long check (octet_length(column_name) <= 256 and octet_length(input_column) <= 256),
  constraint kind_is_known check (kind in ('direct', 'indirect')),
  constraint subtype_is_short check (octet_length(subtype) <= 32)
);

create index column_lineage_input_idx on tenuto.column_lineage (org_id, input_dataset_id, input_column);
