-- A wait for a signal can say which value it expects, as a JSON Schema.
alter type tenuto.wait add attribute schema jsonb;
alter table tenuto.waiting_tasks add column signal_schema jsonb;
alter table tenuto.waiting_tasks
  add constraint a_schema_is_of_a_signal check (signal_schema is null or waits_for = 'signal');

-- A signal whose value does not have the type that the task waits for keeps its value and gets an error.
alter table tenuto.task_steps
  drop constraint only_steps_and_children_fail,
  add constraint only_calls_that_can_fail_have_errors
    check (error is null or kind in ('child', 'signal') or (kind = 'step' and value is null));
