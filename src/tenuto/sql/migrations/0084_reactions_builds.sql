-- What dispatchers do for versions of DAGs, piece by piece: they start the tasks that compute a new version, count
-- their ends, and cancel the tasks of a version that was rolled back.
create table tenuto.builds (
  dag_version_id uuid primary key,
  org_id         uuid not null,
  phase          text not null,
  due_at         timestamptz,      -- of the next piece; null: nothing to do
  position       uuid,             -- the last task of the piece before
  planned        bigint not null default 0,
  completed      bigint not null default 0,
  failed         bigint not null default 0,
  error          text,             -- why the version failed, or was not made current
  cutover_from   int,              -- the version to replace when this one is ready; null: it waits for a cutover
  actor          text,             -- in whose name
  replaced       uuid,             -- the version that was current before, if this one has to catch up with it
  cancel_until   timestamptz,      -- tasks that were being started at the rollback appear until then
  constraint build_is_of_a_version foreign key (org_id, dag_version_id) references tenuto.dag_versions (org_id, id),
  constraint phase_is_known check (phase in ('start', 'follow', 'retry', 'catch_up', 'cancel', 'done')),
  constraint only_what_is_done_is_not_due check ((phase = 'done') = (due_at is null)),
  constraint a_cancel_ends check ((phase = 'cancel') = (cancel_until is not null)),
  constraint a_cutover_has_an_actor check (cutover_from is null or actor is not null),
  constraint counts_are_not_negative check (planned >= 0 and completed >= 0 and failed >= 0)
);

create index builds_version_idx on tenuto.builds (org_id, dag_version_id);
create index builds_due_idx on tenuto.builds (due_at) where due_at is not null;

-- The inputs whose partitions a build has not yet passed to a job. Input -1 stands for the partitions that a source
-- published before.
create table tenuto.build_inputs (
  dag_version_id     uuid not null,
  job_id             uuid not null,
  input              int not null,
  org_id             uuid not null,
  dataset_version_id uuid not null,
  after_partition    text,
  primary key (dag_version_id, job_id, input),
  constraint input_is_of_a_job foreign key (org_id, job_id) references tenuto.jobs (org_id, id)
);
create index build_inputs_job_idx on tenuto.build_inputs (org_id, job_id);
