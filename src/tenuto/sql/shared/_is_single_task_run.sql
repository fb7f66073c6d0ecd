-- Returns true if the task is the only one of its run: the run has the task's id.
create or replace function tenuto._is_single_task_run(p_flags smallint)
  returns boolean
  language sql
  immutable parallel safe
return p_flags & 1 > 0;
