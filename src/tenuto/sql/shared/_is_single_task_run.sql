-- A flag of a queued task: the run is this task.
create or replace function tenuto._is_single_task_run(p_flags smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_flags & 1 > 0;
