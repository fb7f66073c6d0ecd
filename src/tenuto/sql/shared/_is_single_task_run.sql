-- Returns true if the task belongs to a single-task run. Such a run has the task's id.
create or replace function tenuto._is_single_task_run(p_flags smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_flags & 1 > 0;
