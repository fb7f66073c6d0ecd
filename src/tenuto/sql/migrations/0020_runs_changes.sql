-- For those who follow what changes: rows come in the order of their times, or nearly so, which is all that these need.
-- They are a few pages for a million rows. completed_at is set once, so that no other update of a run loses anything.

create index runs_created_idx on tenuto.runs using brin (created_at) with (pages_per_range = 32, autosummarize = on);
create index runs_ended_idx on tenuto.runs using brin (completed_at) with (pages_per_range = 32, autosummarize = on);
create index task_attempts_ended_idx on tenuto.task_attempts using brin (ended_at) with (pages_per_range = 32, autosummarize = on);
