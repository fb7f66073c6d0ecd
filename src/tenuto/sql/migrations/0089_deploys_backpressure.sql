-- Backpressure: a job whose backlog passes a bound holds the jobs that feed it, until half of it is worked off.
alter table tenuto.job_controls
  add column held_at timestamptz,   -- by backpressure, beside a pause
  add column hold_reason text,
  add constraint a_held_job_has_a_reason check ((held_at is null) = (hold_reason is null)),
  add constraint hold_reason_is_not_too_long check (octet_length(hold_reason) between 1 and 1024);
create index job_controls_held_idx on tenuto.job_controls (org_id) where held_at is not null;

-- The jobs whose current version bounds their backlog, and what dispatchers found when they last looked.
create table tenuto.job_backlogs (
  org_id          uuid not null,
  job_key         uuid not null,
  max_depth       int,               -- both bounds null: the current version has none, the row is to be removed
  max_age_seconds int,
  depth           int not null default 0,   -- tasks that wait, counted up to the bound and one more
  oldest_at       timestamptz,
  engaged_at      timestamptz,       -- its producers are held since then
  due_at          timestamptz not null,
  primary key (org_id, job_key),
  constraint backlog_is_of_a_job foreign key (org_id, job_key) references tenuto.job_controls (org_id, job_key),
  constraint bounds_are_positive check (max_depth > 0 and max_age_seconds > 0)
);
create index job_backlogs_due_idx on tenuto.job_backlogs (due_at);

-- A schedule of a job that is held: its times wait, and are not passed over as those of a paused job.
alter table tenuto.schedules add column held boolean not null default false;
drop index tenuto.schedules_due_idx;
create index schedules_due_idx on tenuto.schedules (next_at) where paused_at is null and not held;
