-- Schedules of jobs with a cron or continuous source: dispatchers start tasks of the job. They follow the current
-- version of the DAG.
alter table tenuto.schedules
  add column job_key uuid,
  -- The first time is still to be computed: it is the next one after this; next_at is when that was left to do.
  add column starts_after timestamptz,
  add column continuous boolean not null default false,   -- sees to the task that runs instead of starting one
  add column task_id uuid,   -- of a continuous source: the newest one
  drop constraint name_is_not_empty,
  add constraint name_is_not_empty check (length(name) between 1 and 201),   -- two names of up to 100, and a slash
  add constraint schedule_is_of_a_job foreign key (org_id, job_key) references tenuto.job_controls (org_id, job_key),
  add constraint what_is_continuous_is_a_job check (not continuous or job_key is not null),
  add constraint what_is_continuous_has_a_task check (continuous or task_id is null);

create unique index schedules_job_idx on tenuto.schedules (org_id, job_key) where job_key is not null;
