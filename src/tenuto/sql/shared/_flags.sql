-- Returns the flags of a queued task as one number, the sum of: 1 for the task of a single-task run, 2 for a task with
-- dependents, 4 for a task with a parent, 8 for a task with limits, 32 for a task of a job. A child with limits has 4 +
-- 8 = 12. _is_single_task_run, _has_dependents, _has_parent, _has_limits and _is_job_task read the flags. A claim adds
-- 16 if the task's resource group is not the default group (_grouped).
create or replace function tenuto._flags(
  p_single_task boolean, p_has_dependents boolean, p_has_parent boolean, p_has_limits boolean,
  p_is_job_task boolean default false)
  returns smallint
  language sql
  immutable parallel safe
return (p_single_task::int + p_has_dependents::int * 2 + p_has_parent::int * 4 + p_has_limits::int * 8
  + p_is_job_task::int * 32)::smallint;
