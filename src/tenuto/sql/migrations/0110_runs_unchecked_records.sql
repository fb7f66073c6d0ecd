-- Postgres reads the text of every check constraint again for each statement that inserts or updates: these were an
-- eighth of what starting a task costs. The functions check what callers pass, and tests look for rows that break these
-- rules after every race and walk.
alter table tenuto.runs
  drop constraint a_final_run_has_a_time,
  drop constraint a_run_of_one_has_no_counts,
  drop constraint attempts_are_in_bounds,
  drop constraint fate_is_known,
  drop constraint retrying_has_a_time,
  drop constraint status_is_known;
alter table tenuto.tasks
  drop constraint backoff_is_not_negative,
  drop constraint handler_is_known,
  drop constraint max_attempts_is_between_1_and_100,
  drop constraint max_losses_is_between_1_and_1000,
  drop constraint timeouts_are_positive;
alter table tenuto.task_attempts
  drop constraint an_attempt_ends_under_its_own_number,
  drop constraint outcome_is_known,
  drop constraint reported_by_a_session,
  drop constraint some_outcomes_are_final;
alter table tenuto.task_dependencies
  drop constraint a_task_does_not_depend_on_itself,
  drop constraint runs_on_is_known;
