-- The tasks that compute a version of a DAG before it is current, until the build has counted their ends. Those that
-- ended without completing stay, marked, until the build is continued.
create table tenuto.build_tasks (
  dag_version_id uuid not null,
  task_id        uuid not null,
  org_id         uuid not null,
  failed         boolean not null default false,
  primary key (dag_version_id, task_id)
);
create index build_tasks_failed_idx on tenuto.build_tasks (dag_version_id, task_id) where failed;
