-- A step can fail: for good, or, with retry_at, to be tried again then. `tries` counts how often it ran to its end.
alter table tenuto.task_steps
  add column error jsonb,
  add column tries int not null default 1,
  add column retry_at timestamptz,
  add constraint tries_are_positive check (tries >= 1),
  add constraint only_a_step_fails check (error is null or (kind = 'step' and value is null)),
  add constraint a_retry_follows_an_error check (retry_at is null or error is not null),
  add constraint error_fits_in_a_megabyte check (error is null or pg_column_size(error) <= 1048576);
