-- The attempt that set a key of operator state last, so that a repeated call is told from another attempt's change.
alter table tenuto.operator_state
  add column task_id uuid,
  add column attempt int,
  add constraint a_writer_is_a_task_and_its_attempt check ((task_id is null) = (attempt is null));
