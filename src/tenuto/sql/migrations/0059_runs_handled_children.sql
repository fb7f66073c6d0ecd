-- A step that started children has an error if the code of the task handled their failure and continued.
alter table tenuto.task_steps
  drop constraint only_a_step_fails,
  add constraint only_steps_and_children_fail
    check (error is null or kind = 'child' or (kind = 'step' and value is null));
