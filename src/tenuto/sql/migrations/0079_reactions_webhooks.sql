-- The webhooks of jobs. A row outlives the versions of its DAG, so that senders keep their secret, which servers derive
-- from it: it is stored nowhere.
create table tenuto.webhooks (
  org_id     uuid not null,
  job_key    uuid not null,
  path       text,   -- null while no current version has the source
  rotation   int not null default 0,   -- another number gives another secret
  created_at timestamptz not null,
  primary key (org_id, job_key),
  constraint webhook_is_of_a_job foreign key (org_id, job_key) references tenuto.job_controls (org_id, job_key),
  -- Checked at the end of a statement: a cutover may exchange the paths of two jobs.
  constraint path_has_one_job unique (org_id, path) deferrable initially immediate,
  constraint path_is_short_and_plain check (path ~ '^/[a-z0-9][a-z0-9_/-]{0,199}$')
);
