-- A patch marks that a task takes the new way where its code changed. Markers are numbered -1, -2, …, so that steps keep
-- their numbers when the code that asks for a patch comes or goes.
alter table tenuto.task_steps
  drop constraint kind_is_known,
  add constraint kind_is_known check (kind in ('step', 'child', 'sleep', 'signal', 'patch')),
  add constraint only_patches_are_negative check ((kind = 'patch') = (step_no < 0));

-- The last progress that an attempt reported: it is shown until the next attempt reports its own.
alter table tenuto.task_attempts
  add column progress real,
  add column message text;
