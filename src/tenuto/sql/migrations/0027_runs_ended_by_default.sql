-- Runs with random ids that retention is over for are found by index.
create index runs_default_ended_idx on tenuto.runs_default (org_id, completed_at) where completed_at is not null;
create index task_attempts_default_ended_idx on tenuto.task_attempts_default (org_id, ended_at) where end_no = 0;
